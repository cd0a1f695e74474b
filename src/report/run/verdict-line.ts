import { decide, type JudgedRun, type SignalName } from '../../result/exit-code.ts';
import { failuresOf, failureText, unwatchedFailures, type Failing } from '../../result/failures/failures.ts';
import type { GateVerdict } from '../../result/gates/gates.ts';
import type { Stop } from '../../result/sections/run-facts.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { percentilesLine } from '../outline/too-few.ts';
import { lastLine } from '../words/last-line.ts';
import { stopText } from './load-section.ts';
import { actualText, conditionText, orderGates } from './gate-section.ts';
import { foreignText, inWarmUp, untaggedText } from './integrity-section.ts';
import { printable } from '../../base/printable.ts';
import type { Result } from '../../result/result.ts';
import { oneLine } from '../words/width.ts';
import type { Style } from '../words/table.ts';

/**
 * Returns the last line of every text about a run: `PASSED`, `FAILED: why` or `INVALID: why`. It matches the exit code:
 * 0 passed, 4 invalid, any other failed.
 */
export function verdictLine(result: Judged, signal?: SignalName): string {
  const judged = { ...result, stop: result.run.stop };
  const decision = decide(judged, signal);
  switch (decision) {
    case 'none':
      return lastLine('PASSED', caveatsOf(judged));
    case 'invalid':
      return lastLine('INVALID', mainReason(judged));
    case 'books':
      return lastLine('FAILED', 'the counters are inconsistent: a bug in chat-load');
    case 'signal':
    case 'interrupted':
      return lastLine('FAILED', stopReason(judged.run.stop, `stopped by ${signal ?? 'a signal'}`));
    case 'integrity':
      return lastLine('FAILED', mixedUp(judged));
    case 'gates':
      return lastLine('FAILED', failedGates(judged.gates) + whyNoneOk(judged));
    default:
      return lastLine('FAILED', stopReason(judged.run.stop, 'stopped before its end'));
  }
}

type Judged = JudgedRun & Omit<Failing, 'stop'> & { warnings?: readonly Warning[] };

/** Describes why a run ended early, by its first cause. Caps and `maxDuration` are not failures. */
function stopReason(stop: Stop | null, otherwise: string): string {
  if (stop === null || stop.kind === 'cap' || stop.kind === 'max_duration') return otherwise;
  return stopText(stop);
}

/** Returns the caveats of a passed run: failures that no gate covers, then doubts about its figures. */
function caveatsOf(judged: Judged & Failing): string {
  const watched = judged.gates.filter((gate) => !isImplicit(gate)).map(({ metric }) => metric);
  const failures = unwatchedFailures(judged, watched).map(failureText);
  const degraded = judged.validity.verdict === 'degraded' ? [`degraded: ${mainReason(judged)}`] : [];
  const doubts = [...graveWarnings(judged), ...degraded].join('; ');
  if (failures.length === 0) return doubts === '' ? '' : `but ${doubts}`;
  const uncovered = `but no gate covers failures: ${failures.join('; ')}`;
  return doubts === '' ? uncovered : `${uncovered}; ${doubts}`;
}

/** Returns the first warning of each kind that changes the meaning of a run: an incomplete journal, shared sessions, a cache, empty replies, or ignored cookies. */
function graveWarnings({ warnings = [] }: Judged): string[] {
  const grave = ['journal_incomplete', 'session_id_shared', 'replies_cached', 'replies_empty', 'cookies_ignored'].map(
    (kind) => warnings.find(({ code }) => code === kind),
  );
  return grave.flatMap((warning) =>
    warning === undefined
      ? []
      : [warning.message.replace(/^(?:The|A|Repeated) /, (word) => word.toLowerCase()).replace(/\.$/, '')],
  );
}

/** Reports whether a gate is the implicit one of every run. */
const isImplicit = ({ metric, condition }: GateVerdict): boolean => metric === 'turns.ok' && condition === '>= 1';

/** Returns the most frequent failure if no turn was ok, because the failed gate alone does not explain it. */
function whyNoneOk(judged: JudgedRun & Failing): string {
  const [first] = failuresOf(judged);
  const isNone = judged.gates.some((gate) => isImplicit(gate) && gate.actual === 0);
  return isNone && first !== undefined ? `; ${failureText(first)}` : '';
}

const maxGates = 4;

function failedGates(gates: readonly GateVerdict[]): string {
  const failed = orderGates(gates).filter(({ verdict }) => verdict !== 'pass');
  const text = failed.slice(0, maxGates).map((gate) => {
    const is = gate.verdict === 'no-data' ? ':' : ' was';
    return `${gate.metric} ${conditionText(gate)}${is} ${actualText(gate)}`;
  });
  return [...text, ...(failed.length > maxGates ? [`and ${countOf(failed.length - maxGates, 'more gate')}`] : [])].join(
    '; ',
  );
}

/** Returns the first reason with the severity of the verdict. */
function mainReason({ validity: { verdict, reasons } }: JudgedRun): string {
  const [first] = [...reasons.filter(({ severity }) => severity === verdict), ...reasons];
  return first?.message ?? 'the figures cannot be trusted';
}

function mixedUp({ books, integrity: { verdict, untagged, foreignWords = 0 } }: JudgedRun): string {
  const { integrity } = books;
  if (foreignWords > 0) return foreignText(foreignWords);
  if (verdict === 'unsupported') return 'integrity checks were requested, but the agent does not repeat tags';
  if (integrity.failed === 0) return untaggedText(untagged);
  return `${formatCount(integrity.failed)} of ${countOf(integrity.replies, 'reply', 'replies')} broke a check of the integrity guard${inWarmUp(books)}`;
}

const endOf = ({ status, stop }: Result['run']): string =>
  stop === null ? status : stop.kind === 'signal' ? stopText(stop) : `stopped: ${stops[stop.kind]}`;

/** Short reasons of stopped runs; the full reason is printed to standard error. */
const stops: Readonly<Record<Exclude<Stop['kind'], 'signal'>, string>> = {
  max_duration: 'maxDuration was reached',
  cap: 'a cap was reached',
  gate: 'a gate failed',
  no_success: 'no turn succeeded any more',
  target_gone: 'the target became unreachable',
  target_unfit: 'the target never answered with ok',
  checks_failed: 'no reply passed the checks',
  circuit: 'the API key was rejected',
  token_lost: 'the token could not be renewed',
  scenario_error: 'the scenario failed',
  caller_error: 'the calling code failed',
  fleet_lost: 'no shard was left',
  model_lost: 'the model service was lost',
  journal: 'the journal could not be written',
  bug: 'a bug in chat-load',
};

/** Returns one of several runs as two short lines: its outcome and its result path. */
export function runLine(name: string, { result, path }: { result: Result; path: string }, { colors }: Style): string {
  const { scenario, run, books, latency, validity, integrity, gates } = result;
  const failed = gates.filter(({ verdict }) => verdict !== 'pass').map(({ metric }) => oneLine(printable(metric), 80));
  const facts = [
    `${countOf(books.turns.ok + books.turns.failed, 'turn')}, ${formatCount(books.turns.failed)} failed`,
    ...(result.stream.replies === 0 ? [] : [`TTFT ${percentilesLine(latency.firstToken, ['p50'])}`]),
    percentilesLine(latency.turn.ok, ['p50', 'p99']),
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
