import { decide, isNormalEnd } from '../../result/exit-code.ts';
import type { GateVerdict } from '../../result/gates/gates.ts';
import type { Result } from '../../result/result.ts';
import type { Ending } from '../outline/report.ts';
import type { JunitCase, JunitSuite } from '../words/junit.ts';
import { clean } from '../words/paragraph.ts';
import { accuracyText } from './accuracy-text.ts';
import { percentilesLine } from '../outline/too-few.ts';
import { actualText, conditionText, orderGates } from './gate-section.ts';
import { stopText } from './load-section.ts';
import { verdictLine } from './verdict-line.ts';

/** Builds the JUnit cases of a result: the run as a whole, its validity, its integrity, and one case per gate. */
export function resultSuite(result: Result, { verdict = verdictLine(result) }: Ending): JunitSuite {
  return {
    name: `chat-load run ${clean(result.scenario.name)}`,
    startedAt: clean(result.run.startedAt),
    elapsedMs: result.run.durationMs,
    cases: [
      wholeCase(result, verdict),
      validityCase(result),
      integrityCase(result),
      ...orderGates(result.gates).map((gate) => gateCase(gate, result)),
    ],
  };
}

/** Reasons of a verdict that other cases state. */
const statedElsewhere: readonly string[] = ['invalid', 'integrity', 'gates', 'gate_stop'];

/** Fails if the run failed, for any reason; its text includes the latency of turns. */
function wholeCase(result: Result, verdict: string): JunitCase {
  const { stop } = result.run;
  const { turn } = result.latency;
  const message = clean(verdict);
  const stopped = stop === null ? '' : clean(stopText(stop));
  const latency = turn.count === 0 ? '' : `turn ${percentilesLine(turn, ['p50', 'p95', 'p99'])}`;
  const text = [message, message.includes(stopped) ? '' : stopped, latency].filter((part) => part !== '').join('; ');
  // The command may know more than the result, such as a report that cannot be written.
  const isRepeated = verdict === verdictLine(result) && statedElsewhere.includes(decide(result));
  return { name: 'run', end: message.startsWith('PASSED') ? 'passed' : 'failed', text, message, isRepeated };
}

function validityCase(result: Result): JunitCase {
  const { verdict, reasons } = result.validity;
  const why = reasons.map(({ message }) => clean(message)).join('; ');
  const accuracy = accuracyText(result);
  const text = `${verdict}${why === '' ? '' : `: ${why}`}${accuracy === '' ? '' : `; measured ${accuracy}`}`;
  return verdict === 'invalid'
    ? { name: 'validity', end: 'invalid', text: why, message: `invalid: ${why}` }
    : { name: 'validity', end: 'passed', text };
}

function integrityCase({ integrity: { verdict, replies, failed } }: Result): JunitCase {
  const name = 'integrity';
  if (verdict === 'off' || verdict === 'no-data') return { name, end: 'skipped', text: verdict };
  const text = `${verdict}: ${String(failed)} of ${String(replies)} replies broke a check`;
  return { name, end: verdict === 'pass' ? 'passed' : 'failed', text };
}

const gateCase = (gate: GateVerdict, result: Result): JunitCase => ({
  name: clean(`${gate.metric} ${conditionText(gate)}`),
  end: gate.verdict === 'pass' ? 'passed' : 'failed',
  text: clean(actualText(gate)),
  isRepeated: isStatedElsewhere(gate, result),
});

/** Reports whether the case of validity or integrity, or the reason that stopped the run, states the cause of a failed gate. */
function isStatedElsewhere({ metric }: GateVerdict, { validity, integrity, run: { stop } }: Result): boolean {
  if (metric === 'validity') return validity.verdict === 'invalid';
  if (metric.startsWith('integrity.')) return integrity.verdict === 'fail';
  if (metric !== 'turns.ok') return false;
  return validity.reasons.some(({ code }) => code === 'no_turn_finished') || (stop !== null && !isNormalEnd(stop));
}
