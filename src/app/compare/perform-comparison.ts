import { dirname, join } from 'node:path';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { SideName, Side } from '../../compare/document/side.ts';
import { readCapacitySide, readSide, type SideSources } from './read-side.ts';
import { compareResults, defaultAssumedNoise } from '../../compare/compare-results.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { selfTestResults, type SelfTest } from '../../compare/self-test.ts';
import { readResult, readText } from '../../edge/disk/read-result.ts';
import type { Result } from '../../result/result.ts';
import { existsSync } from 'node:fs';
import { historySchema, type History } from '../../compare/document/history.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import type { CapacityComparison } from '../../capacity/compare/capacity-comparison.ts';
import { compareCapacities, type CapacityJudging } from '../../capacity/compare/compare-capacities.ts';

/** Reads the results of two releases and compares them. Throws a usage error for results or a history that cannot be read. */
export async function performComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Judging,
): Promise<Comparison> {
  const base = await readSide(sides.base);
  const head = await readSide(sides.head);
  return judgeSides({ base, head }, judging, dirname(base.runs[0]?.file ?? ''));
}

/** Settings of a comparison. */
export interface Judging {
  /** Margins by metric; other metrics keep their defaults. */
  margins: ReadonlyMap<string, number>;
  /** Maximum share of false alarms among alarms. */
  q: number;
  force: boolean;
  /** True if an inconclusive verdict counts as a failure. */
  failOnInconclusive: boolean;
  /** Path of the history; `undefined`: `history.json` next to the results, if it exists; `null`: none. */
  history: string | null | undefined;
  /** Assumed noise between batches of runs without a history, as a share. */
  assumedNoise: number;
}

export const defaultJudging: Judging = {
  margins: new Map(),
  q: 0.05,
  force: false,
  failOnInconclusive: false,
  history: undefined,
  assumedNoise: defaultAssumedNoise,
};

/** Compares two releases, by default with the history of a folder. Throws a usage error for an unreadable history. */
export async function judgeSides(
  { base, head }: Readonly<Record<SideName, Side>>,
  { history, margins, q, force, assumedNoise, failOnInconclusive }: Judging,
  folder: string,
): Promise<Comparison> {
  const known = await readHistory(history, folder);
  return compareResults({
    base,
    head,
    history: known,
    margins,
    q,
    force,
    assumedNoise,
    failOnInconclusive,
    toolVersion,
  });
}

/** False alarms in comparisons of a release with itself. */
export interface SelfTested extends SelfTest {
  label: string;
}

/** Compares the runs of one release with each other, many times. Throws a usage error for fewer than ten runs. */
export async function performSelfTest(sources: SideSources, { q }: { q: number }): Promise<SelfTested> {
  const side = await readSide(sources);
  const found = selfTestResults(side, { q });
  if (found !== null) return { label: side.label, ...found };
  throw new ChatLoadError('usage', {
    message: `A self-test needs at least ten runs of one release; there ${side.runs.length === 1 ? 'is 1' : `are ${String(side.runs.length)}`}.`,
    hint: 'Add runs with chat-load run SCENARIO --repeat 10.',
  });
}

/** Reads the results of a comparison again, as far as possible, to draw them over time. */
export async function readCompared({ base, head }: Comparison): Promise<Result[]> {
  const files = [...base.runs, ...head.runs].flatMap(({ file }) => file ?? []);
  // A file may have been removed since.
  const read = await Promise.all(files.map((file) => readResult(file).catch(() => undefined)));
  return read.filter((result) => result !== undefined);
}

/**
 * Reads a history written by trend. `undefined` as path: the `history.json` of a folder, if it exists; `null`: none.
 */
export async function readHistory(path: string | null | undefined, folder: string): Promise<History | undefined> {
  if (path === null) return undefined;
  const own = join(folder, 'history.json');
  if (path === undefined && !existsSync(own)) return undefined;
  const file = path ?? own;
  const reading = parseDocument(await readText(file), 'chat-load/history', historySchema);
  if ('part' in reading) return reading.part;
  throw new ChatLoadError('usage', {
    message: `${file} ${reading.problem}.`,
    hint: 'chat-load trend --history FILE writes it again; --no-history compares without it.',
  });
}

/** Reads the capacities of two releases and compares them. Throws a usage error for an unreadable one. */
export async function performCapacityComparison(
  sides: Readonly<Record<SideName, SideSources>>,
  judging: Omit<CapacityJudging, 'toolVersion'>,
): Promise<CapacityComparison> {
  const base = await readCapacitySide(sides.base);
  const head = await readCapacitySide(sides.head);
  return compareCapacities({ base, head }, { ...judging, toolVersion });
}
