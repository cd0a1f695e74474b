import { z } from 'zod';
import { count, listOf, ratePerSecond, share, shareOf } from '../../base/field.ts';
import type { Counters } from '../../record/counters.ts';
import { positions } from '../../record/positions.ts';

export const streamSchema = z.object({
  replies: count('Attempts of turns with content in pieces, abandoned ones included'),
  contentEvents: count('Content events in them: text, reasoning or a tool call'),
  sharedReads: share(
    'Of the content events behind the first of their reply, those that came in the same read as the one before: many where a proxy buffers',
  ),
  missingDone: count('Replies that came to their end without the mark that the protocol puts behind it'),
  reasoned: count('Replies in pieces with reasoning'),
  retriesAfterContent: count('Retries of attempts of which content had come'),
  abandoned: count('Turns whose user left before the reply was complete'),
  toolTurns: count('Turns that said what tools gave'),
  inputTokens: count('Tokens of the requests of ok turns, as the replies told them'),
  outputTokens: count('Tokens of the replies of ok turns, reasoning included, as they told them'),
  toldUsage: count('Ok turns whose reply told its output tokens'),
  outputTokensPerSecond: z
    .number()
    .min(0)
    .nullable()
    .describe('The output tokens over the measured time (per second; null where no reply told them)'),
});
export type StreamFigures = z.infer<typeof streamSchema>;

export const historySchema = listOf(
  z.object({
    position: z.enum(positions).describe("The turn's number in its session, or a range of numbers"),
    requests: count('Attempts of turns'),
    bodyBytes: z.number().min(0).nullable().describe('The body of a request, in the mean (bytes; null without any)'),
    inputTokens: z
      .number()
      .min(0)
      .nullable()
      .describe('Tokens of a request, history included, in the mean of those whose reply told them (null without any)'),
  }),
  positions.length,
);
export type History = z.infer<typeof historySchema>;

/** What came in pieces, and the tokens of all replies, in a part of a run that was measured for `timeMs`. */
export function buildStream({ streams, attempts, turnFlow }: Counters, timeMs: number): StreamFigures {
  const { ok, failed, gapsOk, gapsFailed, sharedReads, toldUsage, outputTokens } = streams;
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
    toldUsage,
    outputTokensPerSecond: toldUsage === 0 ? null : ratePerSecond(outputTokens, timeMs),
  };
}

/** How requests grow with the turns of a session: every position in its place. */
export function buildHistory({ history }: Counters): History {
  return positions.map((position) => {
    const requests = history[`${position}.requests`];
    return {
      position,
      requests,
      bodyBytes: shareOf(history[`${position}.bytes`], requests),
      inputTokens: shareOf(history[`${position}.inputTokens`], history[`${position}.told`]),
    };
  });
}
