import { z } from 'zod';
import { countOf, formatCount, formatMs } from '../../base/format.ts';
import { failedTurns } from '../../record/counters.ts';
import { dueOf, type Books } from '../books/books.ts';
import { failuresOf, failureText } from '../failures/failures.ts';
import { text } from '../../base/field.ts';
import { findMostlyWarmUp, findUnanswered } from './work-concerns.ts';
import {
  degradedIf,
  graded,
  invalidIf,
  lateness,
  severities,
  type Concern,
  type Evidence,
  type ValidityRule,
  spreadOut,
} from './rule.ts';
import { concurrencyRule } from './concurrency-rule.ts';
import { generatorRules, shardRules } from './generator-rules.ts';
import { modelRules } from './model-rules.ts';
import { streamRule } from './stream-rule.ts';
import { generatorDrift } from '../sections/drift.ts';
import type { LatencySummary } from '../sections/latency-summary.ts';
import { targetRemedy } from '../sections/run-facts.ts';

const blamed = ['service', 'generator'] as const;

const reasonSchema = z.object({
  code: text('Stable name of the reason'),
  severity: z.enum(severities).describe('Verdict by this reason alone'),
  message: text('Description of the observation, with figures'),
  remedy: text('Remedy'),
  blame: z.enum(blamed).describe('Cause: the service, or the load generator with its machine and the scenario'),
});
type ValidityReason = z.infer<typeof reasonSchema>;

export const verdicts = ['invalid', 'degraded', 'valid'] as const;
export const validitySchema = z.object({
  verdict: z
    .enum(verdicts)
    .describe('valid; degraded: read the reasons before using the figures; invalid: do not use them'),
  reasons: z.array(reasonSchema).describe('Reasons why the run is not valid'),
});
export type Validity = z.infer<typeof validitySchema>;

/**
 * Judges whether the figures of a run can be trusted, regardless of their values.
 *
 * | observation | degraded | invalid |
 * |---|---|---|
 * | turns that finished | | none |
 * | with a warm-up: turns that finished after it | < 10 %, too few for a p99 | nothing was sent |
 * | turns or creations without an answer at the end of the run | > 1 % | > 5 % |
 * | lateness of turns | p50 > 10 ms or p99 > 500 ms | ten times that |
 * | lateness of sessions (open load) | p50 > 10 ms or p99 > 500 ms | ten times that |
 * | sessions started, of those due, with any `whenFull` | | < 95 % |
 * | sessions dropped | any | |
 * | mean live sessions, of the requested concurrency, while sessions remain to be started (closed load) | < 90 % | |
 * | streamed replies with several events that arrived in one read, 50 ms or more after the send | > half | |
 * | shards lost | any | a tenth of the load |
 * | time from the first shard's start to the last one's | > 100 ms | > 1 s |
 * | measurement error of a headline figure (turn p50 and p95; streamed also first token p50 and gap p95) or of a gated one | > 1 ms and > 5 % of it | |
 * | event-loop utilization of the generator, in the busiest 2 s | ≥ 98 % | |
 * | event-loop delay, p99, of the worst shard | | > 500 ms |
 * | descriptors or local ports exhausted | | any: local failures count as the target's |
 * | step between the clocks | > 1 s | |
 * | the generator's memory or event-loop delay grew while latency did | yes | |
 * | the generator was not measured | yes | |
 * | model calls without an attempt | > 5 % | |
 * | lateness of the model service | p50 > 5 ms or p99 > 50 ms | |
 * | the model service was lost | | yes |
 *
 * In a run of under 5 s, lateness, doubtful figures and event loop are one reason (`too_short`), or none if the reason that
 * stopped it has its own remedy.
 *
 * Degraded: the figures are usable, with the stated doubt. Invalid: the requested load did not take place, or the
 * figures include the generator's own problems. Lateness is judged at any number of samples. The warm-up is excluded,
 * except for the generator's health, which covers the whole run.
 */
export function judgeValidity(evidence: Evidence): Validity {
  const wasHalted = evidence.stop != null && evidence.stop.remedy !== null;
  const isModelLost = evidence.stop?.kind === 'model_lost';
  const found = rules.flatMap((rule) => {
    // Without the model service no target can answer.
    if (isModelLost && rule.isOfService === true) return [];
    const finding = rule.find(evidence);
    if (finding === undefined) return [];
    const { remedy = rule.remedy, ...seen } = finding;
    return [{ ...rule, ...seen, remedy: typeof remedy === 'string' ? remedy : remedy(evidence) }];
  });
  const isUnjudged = ({ isOfPace }: FoundReason): boolean => isOfPace === true && evidence.elapsedMs < minJudgedMs;
  const reasons = [
    ...found.filter((reason) => !isUnjudged(reason)).map(reasonOf),
    ...(wasHalted ? [] : tooShort(found.filter(isUnjudged), evidence.elapsedMs)),
  ];
  const isInvalid = reasons.some((reason) => reason.severity === 'invalid');
  return { verdict: isInvalid ? 'invalid' : reasons.length > 0 ? 'degraded' : 'valid', reasons };
}

/** Minimum duration for a judgement: in a shorter run the cost of starting a process resembles a slow generator. */
const minJudgedMs = 5000;

/** Returns one reason for all problems that a short run cannot separate from its own start, with the highest severity. */
function tooShort(found: readonly FoundReason[], elapsedMs: number): ValidityReason[] {
  if (found.length === 0) return [];
  return [
    {
      code: 'too_short',
      severity: found.some(({ severity }) => severity === 'invalid') ? 'invalid' : 'degraded',
      message: `a run of ${formatMs(elapsedMs)} is too short to judge the generator: ${found.map(({ message }) => message).join('; ')}`,
      remedy: 'Run for at least 5 s (duration, or more sessions): a shorter run only shows the cost of starting.',
      blame: 'generator',
    },
  ];
}

const reasonOf = ({ code, severity, message, remedy, isOfService }: FoundReason): ValidityReason => ({
  code,
  severity,
  message,
  remedy,
  blame: isOfService === true ? 'service' : 'generator',
});

type FoundReason = Omit<ValidityRule, 'remedy'> & Pick<ValidityReason, 'severity' | 'message' | 'remedy'>;

const remedyForUnanswered =
  'Check the service, which had stopped answering. A shorter timeout counts such turns as timed_out; a longer gracePeriod lets them end.';

const remedyForDrops =
  "whenFull: 'drop' keeps a run valid only while 95 % of the sessions that become due are started. Raise maxConcurrency, lower the rate of sessions, or let them wait (whenFull: 'wait').";

const rules: readonly ValidityRule[] = [
  ...modelRules,
  {
    code: 'no_turn_finished',
    isOfService: true,
    remedy: 'Run longer, with a longer gracePeriod: turns take longer than the run.',
    find: (evidence) => (findMostlyWarmUp(evidence.books) === undefined ? findNoTurn(evidence) : undefined),
  },
  {
    code: 'mostly_warm_up',
    remedy: 'Shorten warmUp, or run for longer (duration, or more sessions).',
    find: ({ books }) => findMostlyWarmUp(books),
  },
  {
    code: 'turns_unanswered',
    isOfService: true,
    remedy: remedyForUnanswered,
    find: ({ outcomes: { unanswered }, stop }) => findUnanswered('turns', unanswered.turns, stop?.kind),
  },
  {
    code: 'creations_unanswered',
    isOfService: true,
    remedy: remedyForUnanswered,
    find: ({ outcomes: { unanswered }, stop }) =>
      findUnanswered('creations of a session', unanswered.creations, stop?.kind),
  },
  streamRule,
  ...shardRules,
  {
    code: 'turns_late',
    isOfPace: true,
    remedy: (evidence) => `${spreadOut(evidence)}, lower the rate, or raise the maximum number of turns in flight.`,
    find: ({ latency }) => findLateness('turns were sent', latency.lateness),
  },
  {
    code: 'sessions_late',
    isOfPace: true,
    remedy: (evidence) => `${spreadOut(evidence)}, lower the rate of sessions, or raise maxConcurrency.`,
    find: ({ latency }) => findLateness('sessions were started', latency.sessionLateness),
  },
  {
    code: 'sessions_not_offered',
    remedy: 'Raise maxConcurrency, lower the rate of sessions, or treat the run as one at the rate it reached.',
    find: ({ books }) => findUnoffered(books),
  },
  {
    code: 'sessions_dropped',
    remedy: "Raise maxConcurrency, lower the rate of sessions, or let them wait (whenFull: 'wait').",
    find: ({ books }) => {
      const { dropped } = dueOf(books);
      return degradedIf(
        dropped > 0,
        `${countOf(dropped, 'session')} ${dropped === 1 ? 'was' : 'were'} dropped because too many were live when they were due`,
      );
    },
  },
  concurrencyRule,
  ...generatorRules,
  {
    code: 'generator_drifted',
    remedy:
      'Measure the latency of the service by other means. If no function of the scenario accumulates data, report this as a bug.',
    find: ({ drift }) => {
      const own = generatorDrift(drift);
      return own?.isShared === true ? { severity: 'degraded', message: own.message } : undefined;
    },
  },
  {
    code: 'generator_unmeasured',
    remedy: 'None: a journal does not contain this data.',
    find: ({ generator }) => degradedIf(generator === null, 'the load on the generator was not measured'),
  },
];

const remedyForLeavers =
  'Let users wait for replies: raise abandon.after above the time that a reply takes, or lower abandon.share below 1.';

function findNoTurn({ books, outcomes, examples = [], stop = null, auth = 'key' }: Evidence): Concern {
  const { ok, abandoned } = outcomes.turns;
  if (ok + failedTurns(outcomes.turns) > 0) return undefined;
  if (stop !== null && stop.remedy !== null)
    return { severity: 'invalid', message: `no turn finished: ${stop.reason}`, remedy: stop.remedy };
  const [failure] = failuresOf({ books, outcomes, examples, stop });
  const [top] = failure?.classes ?? [];
  if (failure === undefined && abandoned > 0)
    return {
      severity: 'invalid',
      message: `no turn finished: users left ${countOf(abandoned, 'turn')} before the reply was complete`,
      remedy: remedyForLeavers,
    };
  if (failure === undefined || top === undefined) return invalidIf(true, 'no turn finished');
  return {
    severity: 'invalid',
    message: `no turn finished: ${failureText(failure)}`,
    remedy: targetRemedy({
      operation: failure.kind === 'creations' ? 'create' : 'message',
      outcome: top.outcome,
      auth,
    }),
  };
}

const allowedLateness = { p50: 10, p99: 500, text: '(acceptable: p50 10 ms, p99 500 ms)' };

function findLateness(what: string, latency: LatencySummary): Concern {
  const found = lateness(what, latency, allowedLateness);
  return found && graded(found.excess, { degraded: 1, invalid: 10 }, found.message);
}

function findUnoffered(books: Books): Concern {
  const { due, started, dropped } = dueOf(books);
  const drops = dropped === 0 ? '' : `, ${formatCount(dropped)} dropped`;
  const message = `only ${formatCount(started)} of ${formatCount(due)} sessions that became due were started${drops}`;
  const found = invalidIf(started < due * 0.95, message);
  return found && dropped > 0 ? { ...found, remedy: remedyForDrops } : found;
}
