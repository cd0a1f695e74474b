import type { Capacity, SearchOutcome } from '../../capacity/document/capacity.ts';
import type { Step } from '../../capacity/document/step.ts';
import { loadText } from '../../capacity/words/summarize.ts';
import { outcomeVerdicts } from '../../capacity/words/summarize.ts';
import { formatCount, formatMs, formatShare } from '../../base/format.ts';
import { lastLine } from '../words/last-line.ts';

/** What an outcome means, and what to do about it; a search that found both ends needs neither. */
interface OutcomeWords {
  meaning: string;
  remedy: string;
}

/** The words of the outcome of a search; `null`: both ends were found. */
export function outcomeWords(capacity: Capacity): OutcomeWords | null {
  return words[capacity.outcome]?.(capacity) ?? null;
}

const words: Readonly<Record<SearchOutcome, ((capacity: Capacity) => OutcomeWords) | null>> = {
  found: null,
  fails_at_min: ({ by, bounds }) => ({
    meaning: `An objective fails already at ${loadText(bounds.min, by)}: there is no load in the range at which all hold, so there is no capacity to name.`,
    remedy: `Look at the service first: at so little load it is its own speed or its own failures, not the load. If the objective is stricter than the service can be, loosen it; a lower --min looks below ${loadText(bounds.min, by)}.`,
  }),
  holds_at_max: ({ by, bounds }) => ({
    meaning: `All objectives hold at ${loadText(bounds.max, by)}, the highest load of the range: the capacity is more than that, how much more was not looked at.`,
    remedy: 'If that is enough, this is the answer. Else raise --max.',
  }),
  generator_limited: ({ steps }) => ({
    meaning: `This generator could not carry a higher load, so nothing is known of the service there: ${lastReason(steps, 'no_evidence', 'see the steps without evidence')}.`,
    remedy: 'Do what that reason advises, then search again; the limit is here, not in the service.',
  }),
  not_recovered: ({ hysteresis: { recoveries } }) => {
    const last = recoveries.findLast(({ recoveredMs }) => recoveredMs === null);
    const behind = last === undefined ? 'after a broken step' : `after the broken step ${String(last.afterStep)}`;
    return {
      meaning: `The service did not come back ${behind}, though it was given rest and a light load: what breaks it keeps it broken. Every load behind that would be measured against a broken service.`,
      remedy:
        'Look at what stays: queues that are not shed, retries that keep a storm going, workers that died. Restart the service, then search again, with --max below the load that broke it.',
    };
  },
  undecided: ({ bounds: { maxStepMs, tolerance } }) => ({
    meaning: `Between the ends, steps of ${formatMs(maxStepMs)} were too short or too noisy to say whether the objectives hold: the interval is wider than the ${formatShare(tolerance)} that was asked for.`,
    remedy: 'Allow longer steps (--max-step), or ask for a wider interval (--tolerance).',
  }),
  bounded: ({ bounds }) => ({
    meaning: `The search ran into its bound (${boundsText(bounds)}) before the ends were close enough, or were shown twice.`,
    remedy: 'Raise the bound, or start nearer: --min and --max around what is known by now.',
  }),
  interrupted: () => ({
    meaning: 'A signal ended the search: what is shown is what was known by then.',
    remedy: 'Search again; --min and --max around what is known make it shorter.',
  }),
  stopped: ({ steps }) => ({
    meaning: `The search could not go on: ${lastReason(steps, 'no_evidence', 'see the last step')}.`,
    remedy:
      'Check that the target is up, takes the key and answers at the path of the base URL (chat-load try shows request and response), then search again.',
  }),
};

function lastReason(
  steps: Capacity['steps'],
  verdict: Capacity['steps'][number]['verdict'],
  otherwise: string,
): string {
  return (steps.findLast((step) => step.verdict === verdict)?.reason ?? otherwise).replace(/\.$/, '');
}

type Bounds = Pick<Capacity['bounds'], 'maxDurationMs' | 'maxTurns' | 'maxSessions' | 'maxCost'>;

/** What bounded the whole search. */
export function boundsText({ maxDurationMs, maxTurns, maxSessions, maxCost }: Bounds): string {
  const parts = [
    ...(maxDurationMs === null ? [] : [`at most ${formatMs(maxDurationMs)}`]),
    ...(maxTurns === null ? [] : [`${maxTurns.toLocaleString('en-US')} messages`]),
    ...(maxSessions === null ? [] : [`${formatCount(maxSessions)} sessions`]),
    ...(maxCost === null ? [] : [`a cost of ${String(maxCost)}`]),
  ];
  return parts.length === 0 ? 'no bound' : parts.join(', ');
}

/** The line that every text about a search ends with: `PASSED, ...`, `FAILED: ...` or `INVALID: ...`, with the answer. */
export function capacityVerdictLine({ outcome, summary }: Pick<Capacity, 'outcome' | 'summary'>): string {
  return lastLine(lines[outcomeVerdicts[outcome]], summary.replace(/\.$/, ''));
}

const lines = { passed: 'PASSED', failed: 'FAILED', invalid: 'INVALID' } as const;

export const stepVerdictTexts: Readonly<Record<Step['verdict'], string>> = {
  holds: 'holds',
  broken: 'broken',
  undecided: 'undecided',
  no_evidence: 'no evidence',
};
