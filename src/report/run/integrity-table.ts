import type { Integrity, PublishedViolation } from '../../result/sections/integrity.ts';
import type { Result } from '../../result/result.ts';
import { countOf, formatCount } from '../words/format.ts';
import { oneLine } from '../words/one-line.ts';
import type { Cells } from '../words/fitting-table.ts';
import { renderTable, type Style } from '../words/table.ts';

/** The checks of the integrity guard with what broke them first; '' where it only listened and had nothing to say. */
export function integrityTable({ integrity }: Result, style: Style): string {
  const { mode, verdict } = integrity;
  if (mode === 'off' || verdict === 'no-data' || (mode === 'listen' && verdict === 'pass')) return '';
  const { columns, rows } = integrityCells({ integrity }, (name, failed) => paint(name, failed, style));
  return [renderTable(columns, rows, style), ...notMade(integrity)].join('\n');
}

/** The checks that were made, and what broke them first. */
export function integrityCells(
  { integrity }: Pick<Result, 'integrity'>,
  paintName: (name: string, failed: number) => string = (name) => name,
): Cells {
  const { checks } = integrity;
  const first = (name: string): string => exampleText(integrity.examples.find((example) => example.check === name));
  const rows = checks.flatMap(({ name, checked, failed }) => {
    const row = [paintName(name, failed), formatCount(checked), formatCount(failed), first(name)];
    const isSeen = checked > 0 || row[3] !== '';
    return [...(isSeen ? [row] : []), ...(name === 'turns' ? turnRows(integrity) : [])];
  });
  const columns = [
    { head: 'INTEGRITY' },
    { head: 'checked', align: 'right' as const },
    { head: 'failed', align: 'right' as const },
    { head: 'what happened first' },
  ];
  return { columns, rows: [...rows, ...ambiguousRows(integrity)] };
}

const paint = (name: string, failed: number, { colors }: Style): string => (failed > 0 ? colors.red(name) : name);

/** What was wrong with the agent's list, in turns. */
const turnRows = ({ turns }: Integrity): string[][] =>
  (['lost', 'duplicated', 'reordered', 'repeated'] as const).flatMap((name) => {
    if (turns[name] === 0) return [];
    const text = countOf(turns[name], 'turn');
    return [[`  ${name}`, '', '', name === 'repeated' ? `${text}, by ambiguous retries: no failure` : text]];
  });

const ambiguousRows = ({ afterAmbiguousRetry: { checked, failed } }: Integrity): string[][] =>
  checked === 0 ? [] : [['after ambiguous retries', formatCount(checked), formatCount(failed), '']];

/** A check that was never made has found nothing, which does not mean that all was well. */
export function notMade({ mode, checks }: Integrity): string[] {
  if (mode === 'listen') return [];
  const names = checks.flatMap(({ name, checked }) => (checked === 0 ? [name] : []));
  return names.length === 0 ? [] : [`not run: ${names.join(', ')}`];
}

function exampleText(example: PublishedViolation | undefined): string {
  if (example === undefined) return '';
  const { session, turn, detail } = example;
  return `session ${formatCount(session)}, turn ${String(turn)}: ${oneLine(detail)}`;
}
