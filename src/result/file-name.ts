/**
 * Returns the file name of a result: `<scenario>-<UTC start>[-label].json`, such as
 * `peak-20260131T142530Z-nightly.json`. `startedAt` is ISO 8601. Characters that file systems may reject become dashes.
 */
export function resultFileName(run: { scenario: string; startedAt: string; label: string | null }): string {
  const start = new Date(run.startedAt).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '');
  const parts = [safe(run.scenario), start, ...(run.label === null ? [] : [safe(run.label)])];
  return `${parts.filter((part) => part !== '').join('-')}.json`;
}

/** Returns the file name of the journal of a run: the name of its result, with the extension `.ndjson`. */
export function journalFileName(run: Parameters<typeof resultFileName>[0]): string {
  return resultFileName(run).replace(/\.json$/, '.ndjson');
}

const safe = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 100);
