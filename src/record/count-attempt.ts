import { between } from '../base/time.ts';
import type { AttemptRecord } from '../session/observer.ts';
import type { Exchange } from '../session/send.ts';
import type { AttemptClass } from '../wire/outcome.ts';
import type { LiveTally } from './live-tally.ts';

/** Counts an attempt of a turn. One that was aborted is in no latency figure. */
export function countAttempt(
  { counters, series }: LiveTally,
  { outcome, exchange, costMillionths }: AttemptRecord,
): void {
  counters.exchanges.attempts++;
  counters.spending.costMillionths += costMillionths;
  counters.attempts[outcome]++;
  if (isStale(outcome, exchange)) counters.exchanges.stale++;
  if (outcome === 'aborted') return;
  const { sentAt, firstByteAt, endedAt, connectMs, status } = exchange;
  (outcome === 'ok' ? series['attempt.ok'] : series['attempt.failed']).record(between(sentAt, endedAt));
  if (firstByteAt !== undefined && status !== 0) {
    counters.exchanges.answered++;
    series.firstByte.record(between(sentAt, firstByteAt));
  }
  if (connectMs !== undefined) {
    counters.exchanges.connected++;
    series.connect.record(connectMs);
  }
}

/** Counts an attempt to create a session: it is in no figure of turns or their attempts. */
export function countCreateAttempt({ counters }: LiveTally, { outcome, exchange }: AttemptRecord): void {
  counters.exchanges.createAttempts++;
  counters.createAttempts[outcome]++;
  if (isStale(outcome, exchange)) counters.exchanges.createStale++;
}

/** Lost on a kept connection before any byte of a response: most likely the server was just closing it. */
const isStale = (outcome: AttemptClass, { reused, firstByteAt }: Exchange): boolean =>
  outcome === 'connection_lost' && reused && firstByteAt === undefined;
