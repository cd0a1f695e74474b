import type { Chapter } from './chapter.ts';
import { holds, type Finding } from './finding.ts';
import { findingsTable } from './markdown.ts';

/** Measures the requested parts of a subject one after another. */
export async function measureSome<Bench extends { report: (text: string) => void }>(
  measures: Readonly<Record<string, (bench: Bench) => Promise<Chapter | undefined>>>,
  bench: Bench,
  only: readonly string[] = Object.keys(measures),
): Promise<Chapter[]> {
  const chapters: Chapter[] = [];
  for (const [name, measure] of Object.entries(measures).filter(([each]) => only.includes(each))) {
    bench.report(name);
    const chapter = await measure(bench);
    if (chapter !== undefined) chapters.push(chapter);
  }
  return chapters;
}

/** Returns a chapter of findings. */
export function chapterOf(title: string, findings: readonly Finding[]): Chapter {
  const broken = findings.filter((finding) => !holds(finding)).length;
  return { title, text: findingsTable(findings), broken };
}
