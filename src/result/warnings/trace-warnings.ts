import { countOf, formatCount } from '../../base/format.ts';
import type { Plan, TracePlan } from '../../plan/plan.ts';
import { unitOf } from '../../trace/read-time.ts';
import type { Warning } from '../sections/warning.ts';

/** Returns warnings about a trace whose reading may be wrong: its unit of times, lines that contradict themselves, and its input tokens. */
export function traceWarnings({ load }: Pick<Plan, 'load'>): Warning[] {
  const trace = load.model === 'open' ? load.trace : undefined;
  return trace === undefined ? [] : readingWarnings(trace);
}

/** Facts about the reading of a trace. */
type Reading = Pick<TracePlan, 'file' | 'times' | 'unitDoubt' | 'doubtful' | 'inputs' | 'columns'>;

export function readingWarnings(trace: Reading): Warning[] {
  return [...unitWarning(trace), ...doubtfulWarning(trace), ...inputWarning(trace)];
}

function unitWarning({ file, times, unitDoubt }: Reading): Warning[] {
  if (unitDoubt === undefined) return [];
  const unit = unitOf(times) ?? 's';
  return [
    {
      code: 'trace_unit_assumed',
      message: `Times of ${file} were read as ${times}: ${unitDoubt}.`,
      remedy: `Check the rate, and state the unit: load: { trace, columns: { unit: '${unit}' } } in a scenario, --columns unit=${unit} with fit.`,
    },
  ];
}

function doubtfulWarning({ file, doubtful }: Reading): Warning[] {
  if (doubtful === undefined) return [];
  const { lines, first } = doubtful;
  const named = first.map(({ line, why }) => `line ${String(line)} ${why}`).join('; ');
  const contradict = lines === 1 ? 'contradicts itself' : 'contradict themselves';
  return [
    {
      code: 'trace_lines_doubtful',
      message: `${countOf(lines, 'line')} of ${file} ${contradict} (${named}${lines > first.length ? '; ...' : ''}). Their number of input tokens is used.`,
      remedy: 'Check the number of input tokens, and the size of the blocks that hash ids identify.',
    },
  ];
}

/** Sessions of one trace that contain both kinds of input tokens. */
function inputWarning({ file, inputs, columns }: Reading): Warning[] {
  if (inputs === undefined || columns?.input !== undefined || inputs.whole === 0 || inputs.fresh === 0) return [];
  const { whole, fresh } = inputs;
  const of = `${formatCount(whole)} of ${countOf(whole + fresh, 'session')} of several turns`;
  const read =
    fresh > whole
      ? 'They were read as the message alone in all sessions.'
      : 'They were read as the message alone in the others.';
  return [
    {
      code: 'trace_input_mixed',
      message: `Input tokens of ${file} may include the previous turns in ${of}, and cannot in the others. ${read}`,
      remedy:
        "State their content, 'whole' conversation or 'fresh' message: load: { trace, columns: { input: 'whole' } } in a scenario, --columns input=whole with fit.",
    },
  ];
}
