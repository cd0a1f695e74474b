/** Returns chapters of bench/results.md for a page of the docs. */
export function extract(report: string, titles: readonly string[]): string {
  const [, ...chapters] = report.split(/^## /m);
  return titles
    .map((title) => {
      const chapter = chapters.find((text) => text.startsWith(`${title}\n`));
      if (chapter === undefined) throw new Error(`bench/results.md has no chapter ${title}: run npm run bench`);
      return `### ${chapter.trim()}`;
    })
    .join('\n\n');
}
