import type { Capacity, SearchOutcome } from '../document/capacity.ts';
import type { Step } from '../document/step.ts';
import { loadText, outcomeVerdicts } from '../words/summarize.ts';
import { formatCount, formatElapsed, formatMs, formatShare } from '../../../base/format.ts';
import { lastLine } from '../../../report/words/last-line.ts';

interface OutcomeText {
  meaning: string;
  remedy: string;
}

/** Explains the outcome of a search; `null` if both ends were found. */
export function outcomeText(capacity: Capacity): OutcomeText | null {
  return words[capacity.outcome]?.(capacity) ?? null;
}

const words: Readonly<Record<SearchOutcome, ((capacity: Capacity) => OutcomeText) | null>> = {
  found: null,
  fails_at_min: ({ by, bounds }) => ({
    meaning: `An objective already fails at ${loadText(bounds.min, by)}, the lowest load of the range, so no capacity was found.`,
    remedy: `Examine the service first: at such a low load the cause is its own speed or failures, not the load. If the objective is too strict, relax it; to test below ${loadText(bounds.min, by)}, lower --min.`,
  }),
  holds_at_max: ({ by, bounds }) => ({
    meaning: `All objectives hold at ${loadText(bounds.max, by)}, the highest load of the range: the capacity is higher, by an unknown amount.`,
    remedy: 'If that is enough, stop here. Otherwise raise --max.',
  }),
  generator_limited: ({ steps }) => ({
    meaning: `A higher load could not be offered as planned, so the service's limit is unknown: ${lastReason(steps, 'see the steps without evidence')}.`,
    remedy: 'The limit is not in the service. Remove the cause above, then search again.',
  }),
  not_recovered: ({ hysteresis: { recoveries } }) => {
    const last = recoveries.findLast(({ recoveredMs }) => recoveredMs === null);
    const when = last === undefined ? 'after a broken step' : `after the broken step ${String(last.afterStep)}`;
    return {
      meaning: `The service did not recover ${when}, despite a pause and a light load. Any later step would have measured a broken service.`,
      remedy:
        'Check for queues that are not shed, retry storms, and workers that died. Restart the service, then search again with --max below the load that broke it.',
    };
  },
  undecided: ({ bounds: { maxStepMs, tolerance } }) => ({
    meaning: `Between the ends, steps of ${formatMs(maxStepMs)} were too short or too noisy to decide whether the objectives hold: the ends are further apart than the requested ${formatShare(tolerance)}.`,
    remedy: 'Allow longer steps (--max-step), or a larger tolerance (--tolerance).',
  }),
  bounded: ({ bounds }) => ({
    meaning: `The search used up its budget (${boundsText(bounds)}) before the ends were close enough or confirmed.`,
    remedy: 'Raise the budget, or narrow the range with --min and --max around the ends known so far.',
  }),
  interrupted: () => ({
    meaning: 'A signal ended the search; the report shows the results until then.',
    remedy: 'Search again; --min and --max around the known ends make it shorter.',
  }),
  stopped: ({ steps }) => ({
    meaning: `The search could not continue: ${lastReason(steps, 'see the last step')}.`,
    remedy:
      'Check that the target is up, accepts the key and answers at the path of the base URL (chat-load try shows request and response), then search again.',
  }),
};

const lastReason = (steps: Capacity['steps'], otherwise: string): string =>
  (steps.findLast(({ verdict }) => verdict === 'no_evidence')?.reason ?? otherwise).replace(/\.$/, '');

type Bounds = Pick<Capacity['bounds'], 'maxDurationMs' | 'maxTurns' | 'maxSessions' | 'maxCost'>;

export function boundsText({ maxDurationMs, maxTurns, maxSessions, maxCost }: Bounds): string {
  const parts = [
    ...(maxDurationMs === null ? [] : [`at most ${formatElapsed(maxDurationMs)}`]),
    ...(maxTurns === null ? [] : [`${maxTurns.toLocaleString('en-US')} messages`]),
    ...(maxSessions === null ? [] : [`${formatCount(maxSessions)} sessions`]),
    ...(maxCost === null ? [] : [`a cost of ${String(maxCost)}`]),
  ];
  return parts.length === 0 ? 'no limit' : parts.join(', ');
}

/** Returns the last line of every text about a search: `PASSED, ...`, `FAILED: ...` or `INVALID: ...`, with the answer. */
export function capacityVerdictLine({ outcome, summary }: Pick<Capacity, 'outcome' | 'summary'>): string {
  return lastLine(lines[outcomeVerdicts[outcome]], summary.replace(/\.$/, ''));
}

const lines = { passed: 'PASSED', failed: 'FAILED', invalid: 'INVALID' } as const;

export const stepVerdictTexts: Readonly<Record<Step['verdict'], string>> = {
  holds: 'pass',
  broken: 'fail',
  undecided: 'undecided',
  no_evidence: 'no evidence',
};
