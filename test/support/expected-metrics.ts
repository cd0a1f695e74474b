import { exportedSeries } from '../../src/edge/metrics/exported-metrics.ts';
import { publishedSeries } from '../../src/record/series.ts';
import type { Result } from '../../src/result/result.ts';
import type { LatencySummary } from '../../src/result/sections/latency-summary.ts';
import { sumOf, type ExportedValue } from './exported-metrics.ts';

/** A count by class that the result publishes, and the metric and attribute that it is exported by. */
const countsOf = ({ outcomes, retries, books, integrity }: Result) => ({
  'chat_load.turn.outcomes chat_load.outcome': outcomes.turns,
  'chat_load.attempt.outcomes chat_load.outcome': outcomes.attempts,
  'chat_load.creation.outcomes chat_load.outcome': outcomes.createAttempts,
  'chat_load.turn.retries chat_load.outcome': retries.byCause,
  'chat_load.creation.retries chat_load.outcome': retries.creations.byCause,
  'chat_load.turn.retry_after chat_load.retry_after': fatesOf(retries.retryAfter),
  'chat_load.creation.retry_after chat_load.retry_after': fatesOf(retries.creations.retryAfter),
  'chat_load.turn.gave_up chat_load.reason': reasonsOf(retries.gaveUp),
  'chat_load.creation.gave_up chat_load.reason': reasonsOf(retries.creations.gaveUp),
  'chat_load.turn.by_attempts chat_load.attempts': retries.attemptsPerTurn,
  'chat_load.integrity.failed chat_load.check': Object.fromEntries(
    integrity.checks.map(({ name, failed }) => [name, failed]),
  ),
  'chat_load.integrity.checked chat_load.check': Object.fromEntries(
    integrity.checks.map(({ name, checked }) => [name, checked]),
  ),
  'chat_load.integrity.turn_faults chat_load.fault': integrity.turns,
  ...Object.fromEntries(
    sessionNames.map((name) => [`chat_load.session.${name}`, books.sessions[name] - books.warmUp.sessions[name]]),
  ),
  'chat_load.turn.sent': retries.turnsSent,
  'chat_load.turn.good': retries.goodput.turns,
  'chat_load.turn.planned': books.turns.planned - books.warmUp.turns.planned,
  'chat_load.turn.carried_over': books.turns.carried_over - books.warmUp.turns.carried_over,
  'chat_load.turn.lost': books.turns.lost - books.warmUp.turns.lost,
  'chat_load.attempt.stale': outcomes.stale,
  'chat_load.creation.stale': outcomes.createStale,
  'chat_load.integrity.replies': integrity.replies,
  'chat_load.integrity.untagged': integrity.untagged,
  'chat_load.integrity.checked_after_ambiguous_retry': integrity.afterAmbiguousRetry.checked,
  'chat_load.integrity.failed_after_ambiguous_retry': integrity.afterAmbiguousRetry.failed,
});

/** Lists the differences between exported figures and the result; empty if all agree. */
export function disagreements(values: readonly ExportedValue[], result: Result): string[] {
  return [...countDisagreements(values, result), ...seriesDisagreements(values, result)];
}

function countDisagreements(values: readonly ExportedValue[], result: Result): string[] {
  const measured = { 'chat_load.warm_up': false };
  return Object.entries(countsOf(result)).flatMap(([key, published]) => {
    const [name = '', by = ''] = key.split(' ');
    const pairs: [string, number][] = typeof published === 'number' ? [['', published]] : Object.entries(published);
    return pairs.flatMap(([of, expected]) => {
      const { value } = sumOf(values, name, by === '' ? measured : { ...measured, [by]: of });
      return value === expected ? [] : [`${name} ${of}: exported ${String(value)}, published ${String(expected)}`];
    });
  });
}

/** Counts and sums, to the microsecond. */
function seriesDisagreements(values: readonly ExportedValue[], { latency, positions }: Result): string[] {
  const differing = (
    name: string,
    where: ExportedValue['attributes'],
    published: Pick<LatencySummary, 'count' | 'sumMs'> = { count: 0, sumMs: 0 },
  ) => {
    const { value, sum } = sumOf(values, name, { 'chat_load.warm_up': false, ...where });
    const sides = [
      [value, Math.round(sum * 1e6)],
      [published.count, Math.round(published.sumMs * 1000)],
    ].map(([count, us]) => `${String(count)} of ${String(us)} µs`);
    return sides[0] === sides[1] ? [] : [`${name} ${JSON.stringify(where)}: ${sides.join(', published ')}`];
  };
  const turns = exportedSeries[publishedSeries.findIndex(({ name }) => name === 'turn')]?.name ?? '';
  return [
    ...publishedSeries.flatMap(({ name }, index) => differing(exportedSeries[index]?.name ?? '', {}, latency[name])),
    ...positions.flatMap(({ position, ok, failed }) => [
      ...differing(turns, { 'chat_load.turn.position': position, 'chat_load.status': 'ok' }, ok),
      ...differing(turns, { 'chat_load.turn.position': position, 'chat_load.status': 'failed' }, failed),
    ]),
  ];
}

const sessionNames = [
  ...(['started', 'created', 'completed', 'failed', 'cut', 'create_failed', 'create_cut'] as const),
  ...(['dropped', 'not_started', 'not_started_due', 'lost', 'lost_creating', 'uncreated'] as const),
];

/** Retries given up as `tooLong` count among the reasons, not among the retries. */
const fatesOf = ({ obeyed, violated, absent, invalid }: Result['retries']['retryAfter']) => ({
  obeyed,
  violated,
  absent,
  invalid,
});

const reasonsOf = ({ tooLong, runEnd, ...rest }: Result['retries']['gaveUp']) => ({
  ...rest,
  retry_after_too_long: tooLong,
  run_end: runEnd,
});
