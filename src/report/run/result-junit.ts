import type { GateVerdict } from '../../result/gates/gates.ts';
import type { Result } from '../../result/result.ts';
import { renderJunit, type JunitCase } from '../words/junit.ts';
import { clean } from '../words/paragraph.ts';
import type { Ending } from '../words/renderer.ts';
import type { Style } from '../words/table.ts';
import { stopWords } from './load-section.ts';
import { actualText, conditionText, orderGates } from './gate-section.ts';
import { verdictLine } from './verdict-line.ts';

/** Renders a result as JUnit XML: a case a gate, one for integrity, one for validity, and one for the run as a whole. */
export function renderResultJunit(result: Result, _: Style, { verdict = verdictLine(result) }: Ending): string {
  return renderJunit({
    name: `chat-load run ${clean(result.scenario.name)}`,
    startedAt: clean(result.run.startedAt),
    elapsedMs: result.run.durationMs,
    cases: [
      wholeCase(result, verdict),
      validityCase(result),
      integrityCase(result),
      ...orderGates(result.gates).map(gateCase),
    ],
  });
}

/** Fails when the run did, for any reason. */
function wholeCase({ run: { stop } }: Result, verdict: string): JunitCase {
  const message = clean(verdict);
  const end = stop === null ? '' : clean(stopWords(stop));
  const text = message.includes(end) ? message : `${message}; ${end}`;
  return message.startsWith('PASSED') ? { name: 'run', output: text } : { name: 'run', failure: { message, text } };
}

function validityCase({ validity: { verdict, reasons } }: Result): JunitCase {
  const text = reasons.map(({ message }) => clean(message)).join('; ');
  const name = 'validity';
  if (verdict === 'invalid') return { name, error: { message: `invalid: ${text}`, text } };
  return { name, output: text === '' ? verdict : `${verdict}: ${text}` };
}

function integrityCase({ integrity: { verdict, replies, failed } }: Result): JunitCase {
  const name = 'integrity';
  const text = `${verdict}: ${String(failed)} of ${String(replies)} replies broke a check`;
  if (verdict === 'off' || verdict === 'no-data') return { name, skipped: verdict };
  return verdict === 'pass' ? { name, output: text } : { name, failure: { message: text, text } };
}

function gateCase(gate: GateVerdict): JunitCase {
  const name = clean(`${gate.metric} ${conditionText(gate)}`);
  const text = clean(actualText(gate));
  return gate.verdict === 'pass' ? { name, output: text } : { name, failure: { message: text, text } };
}
