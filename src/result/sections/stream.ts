import { z } from 'zod';
import { count, listOf, ratePerSecond, share, shareOf, amountOrNull } from '../../base/field.ts';
import { laterEvents, type Counters } from '../../record/counters.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { positions } from '../../record/positions.ts';

export const streamSchema = z.object({
  replies: count('Attempts of turns with streamed content, including abandoned ones'),
  contentEvents: count('Number of content events: text, reasoning or a tool call'),
  sharedReads: share(
    'Share of content events, except the first of each reply, that arrived in the same read as the previous event; a buffering proxy raises it',
  ),
  severalEvents: count('Streamed replies with two or more content events').default(0),
  oneRead: count(
    'Streamed replies whose two or more content events arrived in one read: they have no gaps and no time per token',
  ).default(0),
  buffered: count('Part of oneRead: replies that arrived 50 ms or more after the send').default(0),
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
  const { ok, failed, sharedReads, severalEvents, oneRead, buffered, reportedUsage, outputTokens } = streams;
  const later = laterEvents(streams);
  return {
    replies: ok + failed,
    contentEvents: ok + failed + later,
    sharedReads: shareOf(sharedReads, later),
    severalEvents,
    oneRead,
    buffered,
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

/** Share of the replies, or of the content events, above which figures describe the network path rather than the service. */
export const maxShared = 0.5;

/** Reports whether most replies with several events were held back and arrived in one read. */
export function isHeldBack({ buffered, severalEvents }: StreamFigures): boolean {
  return buffered > maxShared * severalEvents;
}

/** Counts replies that arrived in one read: `40 of 42 streamed replies with several events arrived in one read`. */
export function oneReadText({ oneRead, severalEvents }: StreamFigures): string {
  const replies = countOf(severalEvents, 'streamed reply', 'streamed replies');
  return `${formatCount(oneRead)} of ${replies} with several events arrived in one read`;
}

export const unbufferRemedy =
  'Look for buffering between the service and chat-load (a proxy, a gateway, compression): chat-load try shows how the events of a reply arrive. Otherwise read the figures as the experience of a user behind it. A service that sends events faster than they can be read separately has the same effect.';

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
