import { z } from 'zod';
import { count, listOf, ratePerSecond, share, shareOf, amountOrNull } from '../../base/field.ts';
import type { Counters } from '../../record/counters.ts';
import { positions } from '../../record/positions.ts';

export const streamSchema = z.object({
  replies: count('Attempts of turns with streamed content, including abandoned ones'),
  contentEvents: count('Number of content events: text, reasoning or a tool call'),
  sharedReads: share(
    'Share of content events, except the first of each reply, that arrived in the same read as the previous event; a buffering proxy raises it',
  ),
  missingDone: count('Streams that ended without the protocol’s terminator'),
  reasoned: count('Streamed replies with reasoning'),
  retriesAfterContent: count('Retries of attempts whose content had begun to arrive'),
  abandoned: count('Turns whose user left before the reply was complete'),
  toolTurns: count('Turns that sent tool results'),
  inputTokens: count('Input tokens of ok turns, as reported by the replies'),
  outputTokens: count('Output tokens of ok turns, including reasoning, as reported by the replies'),
  reportedUsage: count('Ok turns whose reply reported its output tokens'),
  outputTokensPerSecond: amountOrNull(
    'Output tokens over the measured time (per second; null if no reply reported them)',
  ),
});
export type StreamFigures = z.infer<typeof streamSchema>;

export const historySchema = listOf(
  z.object({
    position: z.enum(positions).describe('Number of the turn in its session, or a range of numbers'),
    requests: count('Attempts of turns'),
    bodyBytes: amountOrNull('Mean size of a request body (bytes; null if there is none)'),
    inputTokens: amountOrNull(
      'Mean input tokens of a request, including the history, over requests with reported usage (null if there are none)',
    ),
  }),
  positions.length,
);
export type History = z.infer<typeof historySchema>;

/** Builds the stream section: streamed replies, and the token usage of all replies, over the time `timeMs`. */
export function buildStream({ streams, attempts, turnFlow }: Counters, timeMs: number): StreamFigures {
  const { ok, failed, gapsOk, gapsFailed, sharedReads, reportedUsage, outputTokens } = streams;
  const gaps = gapsOk + gapsFailed;
  return {
    replies: ok + failed,
    contentEvents: ok + failed + gaps,
    sharedReads: shareOf(sharedReads, gaps),
    missingDone: streams.missingDone,
    reasoned: streams.reasoned,
    retriesAfterContent: streams.retriesAfterContent,
    abandoned: attempts.abandoned,
    toolTurns: turnFlow.toolTurns,
    inputTokens: streams.inputTokens,
    outputTokens,
    reportedUsage,
    outputTokensPerSecond: reportedUsage === 0 ? null : ratePerSecond(outputTokens, timeMs),
  };
}

export function buildHistory({ history }: Counters): History {
  return positions.map((position) => {
    const requests = history[`${position}.requests`];
    return {
      position,
      requests,
      bodyBytes: shareOf(history[`${position}.bytes`], requests),
      inputTokens: shareOf(history[`${position}.inputTokens`], history[`${position}.reported`]),
    };
  });
}
