/** Arrival of the events of a streamed reply: one by one, most of them with the previous one, or all at once. */
type StreamFlow = 'one_by_one' | 'mostly_together' | 'at_once';

interface Arrivals {
  /** Times of the events, in milliseconds since the send. */
  times: readonly number[];
  /** Duration of the reply. */
  totalMs: number;
  /** Time from the first to the last content; by default from the first to the last event. */
  contentSpanMs?: number | undefined;
}

/** Content within less than this share of the reply time may have arrived at once. */
const burstShare = 0.02;
/** Duration of a read with many events, in milliseconds. */
const minBurstMs = 1;
/** Events that arrive within less than this time of each other were probably in one read. */
const togetherMs = 0.5;
/** Share of the events above which they arrive together: a fast service may send some of them in one read. */
const maxTogether = 0.6;
/** Mean time between events, in milliseconds: those of a faster stream may share a read without a buffer. */
const minMeanGapMs = 2;

/** Judges how events arrived; `together` is the number of those that arrived with the previous one. */
export function streamFlow({ times, totalMs, contentSpanMs }: Arrivals): { flow: StreamFlow; together: number } {
  const together = times.filter((at, index) => index > 0 && at - (times[index - 1] ?? 0) < togetherMs).length;
  const spanMs = contentSpanMs ?? (times.at(-1) ?? 0) - (times[0] ?? 0);
  const isTogether = together > maxTogether * (times.length - 1);
  if (isTogether && spanMs <= Math.max(totalMs * burstShare, minBurstMs)) return { flow: 'at_once', together };
  const hasGaps = times.length > 4 && spanMs > minMeanGapMs * (times.length - 1);
  return { flow: isTogether && hasGaps ? 'mostly_together' : 'one_by_one', together };
}
