/** What the README shows of bench/results.md: how it was measured, and the chapters that a reader asks for first. */
export function extract(report: string): string {
  const [head = '', ...chapters] = report.split(/^## /m);
  const shown = ['Speed', 'Budget', 'Breadth'].map((title) => {
    const chapter = chapters.find((text) => text.startsWith(`${title}\n`));
    if (chapter === undefined) throw new Error(`bench/results.md has no chapter ${title}: run npm run bench`);
    return chapter.slice(title.length).trim();
  });
  return [head.slice(head.indexOf('\n')).trim(), ...shown].join('\n\n');
}
