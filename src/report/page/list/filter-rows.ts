import type { ListRow } from './list.ts';

/** What rows are looked for; an empty text is no condition. */
export interface ListFilter {
  /** The whole name. */
  scenario: string;
  /** A part of it, in any case of letters; likewise the commit. */
  label: string;
  verdict: string;
  commit: string;
}

export const noFilter: ListFilter = { scenario: '', label: '', verdict: '', commit: '' };

/** The rows that fulfil all conditions. */
export function filterRows(rows: readonly ListRow[], { scenario, label, verdict, commit }: ListFilter): ListRow[] {
  return rows.filter(
    (row) =>
      (scenario === '' || row.scenario === scenario) &&
      (verdict === '' || row.verdict === verdict) &&
      contains(row.label, label) &&
      contains(row.commit, commit),
  );
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.trim().toLowerCase());
