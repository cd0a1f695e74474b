/** What the README shows of bench/results.md: the chapters that a reader asks for first. */
export function extract(report: string): string {
  const [, ...chapters] = report.split(/^## /m);
  return ['Speed', 'Budget', 'Breadth']
    .map((title) => {
      const chapter = chapters.find((text) => text.startsWith(`${title}\n`));
      if (chapter === undefined) throw new Error(`bench/results.md has no chapter ${title}: run npm run bench`);
      return `### ${chapter.trim()}`;
    })
    .join('\n\n');
}
