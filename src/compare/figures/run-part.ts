import { nanosOf } from '../../plan/prices.ts';
import { publishedSeries, splitSeries } from '../../record/series.ts';
import { failedTurns } from '../../record/counters.ts';
import { failedClassNames, finishedClassNames, type AttemptClass } from '../../protocol/outcome.ts';
import { intervalModelNames, type Interval } from '../../result/sections/intervals.ts';
import type { LatencySummary } from '../../result/sections/latency-summary.ts';
import type { Cost } from '../../result/sections/cost.ts';
import type { ResultHead } from '../document/group-of.ts';

interface PartSeries {
  count: number;
  sumMs: number;
  hdr: string;
}

export interface RunPart {
  lengthMs: number;
  /** Events by name: `turns.sent`, `attempts.timed_out`, ... */
  counts: ReadonlyMap<string, number>;
  series: ReadonlyMap<string, PartSeries>;
}

type CostSource = Cost['source'];

/** Opens an interval; `costSource`: whether the costs of its run are those of attempts or of model calls. */
export function intervalPart(
  { lengthMs, createAttempts, latency, ...counted }: Interval,
  costSource?: CostSource,
): RunPart {
  return {
    lengthMs,
    counts: countsOf({ ...counted, createAttempts: createAttempts.byClass }, costSource),
    series: new Map(Object.entries(latency)),
  };
}

/** Returns the measured part of a run as one segment, from its published totals, including the drain. */
export function wholePart({
  books,
  outcomes,
  retries,
  integrity,
  latency,
  positions,
  rates,
  stream,
  tokens,
  cost,
  model,
}: ResultHead): RunPart {
  const turns = {
    sent: retries.turnsSent,
    ok: outcomes.turns.ok,
    failed: failedTurns(outcomes.turns),
    good: retries.goodput.turns,
  };
  const attempts = { retries: retries.retries, byClass: outcomes.attempts };
  const measured = (name: 'created' | 'create_failed') => books.sessions[name] - books.warmUp.sessions[name];
  const { turns: unanswered } = outcomes.unanswered;
  const sessions = { created: measured('created'), createFailed: measured('create_failed') };
  const usage = {
    inputTokens: tokens.input.tokens ?? 0,
    outputTokens: tokens.output.tokens ?? 0,
    cachedTokens: tokens.cachedInput.tokens ?? 0,
    cacheableTokens: tokens.cacheableTokens,
    costNanos: nanosOf(cost?.total ?? 0),
    unknownCosts: cost?.unknownAttempts.total ?? 0,
  };
  const series: readonly (readonly [string, LatencySummary])[] = [
    ...publishedSeries.flatMap(({ name }) => {
      const summary = latency[name];
      return summary === undefined ? [] : [[name, summary] as const];
    }),
    ...splitSeries.map(({ name }) => [`${name}.ok`, latency[name].ok] as const),
    ...positions.flatMap(({ position, firstToken, ...each }) => [
      [`position.${position}`, each] as const,
      [`position.${position}.ok`, each.ok] as const,
      ...(firstToken === undefined ? [] : [[`position.${position}.firstToken`, firstToken] as const]),
    ]),
  ];
  return {
    lengthMs: rates.measuredMs,
    counts: new Map([
      ...countsOf(
        {
          turns,
          attempts,
          createAttempts: outcomes.createAttempts,
          sessions,
          integrity,
          usage,
          model: modelCounts(model),
        },
        cost?.source,
      ),
      ['turns.unanswered', unanswered.count],
      ['turns.finishedOrNot', unanswered.share === null ? 0 : turns.ok + turns.failed + unanswered.count],
      ['stream.outputTokens', stream.outputTokens],
      ['turns.empty', outcomes.empty],
      ['finish.length', outcomes.finish.length],
      ['finish.filtered', outcomes.finish.filtered],
    ]),
    series: new Map(
      series.flatMap(([name, { count, sumMs, hdr }]) => (hdr === null ? [] : [[name, { count, sumMs, hdr }]])),
    ),
  };
}

type ByClass = Readonly<Partial<Record<AttemptClass, number>>>;

interface Counted {
  turns: { sent: number; ok: number; failed: number; good: number };
  attempts: { retries: number; byClass: ByClass };
  createAttempts: ByClass;
  sessions: { created: number; createFailed: number };
  integrity: { replies: number; failed: number };
  usage?: Interval['usage'];
  model?: Interval['model'];
}

function countsOf(
  { turns, attempts, createAttempts, sessions, integrity, usage, model }: Counted,
  costSource: CostSource | undefined,
): Map<string, number> {
  const finished = finishedOf(attempts.byClass);
  return new Map([
    ['turns.sent', turns.sent],
    ['turns.ok', turns.ok],
    ['turns.failed', turns.failed],
    ['turns.finished', turns.ok + turns.failed],
    ['turns.good', turns.good],
    // Attempts are counted by send time, as turns are: counted by their ends, a window would contain fewer attempts
    // than turns.
    ['attempts.sent', turns.sent + attempts.retries],
    ['attempts.finished', finished],
    ['attempts.failed', sumOf(failedClassNames, attempts.byClass)],
    ...finishedClassNames.map((name) => [`attempts.${name}`, attempts.byClass[name] ?? 0] as const),
    ['createAttempts.finished', finishedOf(createAttempts)],
    ['createAttempts.timed_out', createAttempts.timed_out ?? 0],
    ['sessions.createFailed', sessions.createFailed],
    ['sessions.createEnded', sessions.created + sessions.createFailed],
    ['integrity.replies', integrity.replies],
    ['integrity.failed', integrity.failed],
    ['tokens.input', usage?.inputTokens ?? 0],
    ['tokens.output', usage?.outputTokens ?? 0],
    ['tokens.cached', usage?.cachedTokens ?? 0],
    ['tokens.cacheable', usage?.cacheableTokens ?? 0],
    ['cost.nanos', usage?.costNanos ?? 0],
    ['cost.unknown', usage?.unknownCosts ?? 0],
    // All that could have a cost, of which `cost.unknown` has no known one.
    ['cost.among', costSource === 'model' ? (model?.calls ?? 0) : turns.sent + attempts.retries],
    ...intervalModelNames.map((name) => [`model.${name}`, model?.[name] ?? 0] as const),
  ]);
}

/** Returns the published counts of model calls under the names of intervals. */
function modelCounts(model: ResultHead['model']): Interval['model'] {
  if (model === null) return undefined;
  const { calls, callsPerTurn, repeats, duplicates, orphaned, afterReply, delivered } = model;
  return {
    calls: calls.total,
    attributed: calls.total - calls.unattributed,
    turns: callsPerTurn.turns,
    turnCalls: callsPerTurn.calls,
    neededCalls: callsPerTurn.neededCalls,
    repeats,
    duplicates,
    orphaned: orphaned.calls,
    afterReply: afterReply.calls,
    checked: delivered.checked,
    delivered: delivered.delivered,
  };
}

const finishedOf = (byClass: ByClass): number => sumOf(finishedClassNames, byClass);

const sumOf = (names: readonly AttemptClass[], byClass: ByClass): number =>
  names.reduce((sum, name) => sum + (byClass[name] ?? 0), 0);
