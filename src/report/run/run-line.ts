import { printable } from '../../base/printable.ts';
import type { Result } from '../../result/result.ts';
import { countOf, formatCount, formatMs } from '../words/format.ts';
import type { Style } from '../words/table.ts';

const endOf = ({ status, stop }: Result['run']): string =>
  stop === null || stop.kind === 'signal' ? status : `${status} (${stop.kind.replaceAll('_', ' ')})`;

/** One of several runs in two short lines: its outcome and its result path. */
export function runLine(name: string, { result, path }: { result: Result; path: string }, { colors }: Style): string {
  const { scenario, run, books, latency, validity, integrity, gates } = result;
  const { p50Ms, p99Ms } = latency.turn.ok;
  const failedGates = gates.filter(({ verdict }) => verdict !== 'pass').length;
  const facts = [
    `${countOf(books.turns.ok + books.turns.failed, 'turn')}, ${formatCount(books.turns.failed)} failed`,
    `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}`,
    validity.verdict === 'valid' ? 'valid' : colors.yellow(validity.verdict),
    ...(run.status === 'completed' ? [] : [colors.yellow(endOf(run))]),
    ...(failedGates === 0 ? [] : [colors.red(countOf(failedGates, 'gate failed', 'gates failed'))]),
    ...(integrity.verdict === 'fail' ? [colors.red('integrity FAIL')] : []),
    ...(integrity.verdict === 'unsupported' ? [colors.red('integrity unsupported')] : []),
  ];
  return `${colors.bold(name)}, seed ${String(scenario.seed)}: ${facts.join('; ')}\n  ${printable(path)}`;
}
