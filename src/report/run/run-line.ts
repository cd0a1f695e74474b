import { printable } from '../../base/printable.ts';
import type { Result } from '../../result/result.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import { countOf, formatCount, formatMs } from '../words/format.ts';
import { oneLine } from '../words/one-line.ts';
import type { Style } from '../words/table.ts';
import { stopWords } from './load-section.ts';

const endOf = ({ status, stop }: Result['run']): string =>
  stop === null ? status : stop.kind === 'signal' ? stopWords(stop) : `stopped: ${stops[stop.kind]}`;

/** What stopped a run, in short: the reason in full is on standard error. */
const stops: Readonly<Record<Exclude<Stop['kind'], 'signal'>, string>> = {
  max_duration: 'maxDuration was reached',
  cap: 'a cap was reached',
  gate: 'a gate failed',
  no_success: 'no turn was ok any more',
  target_gone: 'the target was gone',
  target_unfit: 'the target never answered with ok',
  checks_failed: 'no reply passed the checks',
  circuit: 'the key was refused',
  token_lost: 'the token could not be renewed',
  scenario_error: 'the scenario failed',
  caller_error: 'code of the caller failed',
  fleet_lost: 'no shard was left',
  journal: 'the journal could not be written',
  bug: 'a bug in chat-load',
};

/** One of several runs in two short lines: its outcome and its result path. */
export function runLine(name: string, { result, path }: { result: Result; path: string }, { colors }: Style): string {
  const { scenario, run, books, latency, validity, integrity, gates } = result;
  const { p50Ms, p99Ms } = latency.turn.ok;
  const failed = gates.filter(({ verdict }) => verdict !== 'pass').map(({ metric }) => oneLine(printable(metric), 80));
  const facts = [
    `${countOf(books.turns.ok + books.turns.failed, 'turn')}, ${formatCount(books.turns.failed)} failed`,
    `p50 ${formatMs(p50Ms)}, p99 ${formatMs(p99Ms)}`,
    validity.verdict === 'valid' ? 'valid' : colors.yellow(validity.verdict),
    ...(run.status === 'completed' ? [] : [colors.yellow(endOf(run))]),
    ...(failed.length === 0
      ? []
      : [colors.red(`${countOf(failed.length, 'gate failed', 'gates failed')}: ${failed.join(', ')}`)]),
    ...(integrity.verdict === 'fail' ? [colors.red('integrity FAIL')] : []),
    ...(integrity.verdict === 'unsupported' ? [colors.red('integrity unsupported')] : []),
  ];
  return `${colors.bold(printable(name))}, seed ${String(scenario.seed)}: ${facts.join('; ')}\n  ${printable(path)}`;
}
