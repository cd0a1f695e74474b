import { between, type Ms } from '../base/time.ts';
import type { AttemptRecord } from '../session/observer.ts';
import type { Exchange } from '../session/send.ts';
import type { AttemptClass } from '../protocol/outcome.ts';
import { countContent, countHistory } from './count-content.ts';
import type { LiveTally } from './live-tally.ts';

/**
 * Counts an attempt of a turn. One that was aborted is in no latency figure, one that was abandoned in none but those of
 * its content.
 */
export function countAttempt(tally: LiveTally, record: AttemptRecord): void {
  const { counters, series } = tally;
  const { attempt, outcome, exchange, costMillionths } = record;
  counters.exchanges.attempts++;
  counters.spending.costMillionths += costMillionths;
  counters.attempts[outcome]++;
  if (isStale(outcome, exchange)) counters.exchanges.stale++;
  if (outcome === 'aborted') {
    if (attempt === 1) series.cutTurn.record(waitOf(exchange));
    else counters.exchanges.cutRetries++;
    return;
  }
  if (exchange.content !== undefined) countContent(tally, record, exchange.content);
  if (record.requestBytes !== undefined) countHistory(tally, record, record.requestBytes);
  if (record.lacksDone === true) counters.streams.missingDone++;
  if (outcome === 'abandoned') return;
  const { sentAt, firstByteAt, connectMs, status } = exchange;
  (outcome === 'ok' ? series['attempt.ok'] : series['attempt.failed']).record(waitOf(exchange));
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
export function countCreateAttempt(
  { counters, series }: LiveTally,
  { attempt, outcome, exchange }: AttemptRecord,
): void {
  counters.exchanges.createAttempts++;
  counters.createAttempts[outcome]++;
  if (isStale(outcome, exchange)) counters.exchanges.createStale++;
  if (outcome !== 'aborted') return;
  if (attempt === 1) series.cutCreation.record(waitOf(exchange));
  else counters.exchanges.cutCreateRetries++;
}

const waitOf = ({ sentAt, endedAt }: Exchange): Ms => between(sentAt, endedAt);

/** Lost on a kept connection before any byte of a response: most likely the server was just closing it. */
const isStale = (outcome: AttemptClass, { reused, firstByteAt }: Exchange): boolean =>
  outcome === 'connection_lost' && reused && firstByteAt === undefined;
