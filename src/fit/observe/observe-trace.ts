import { keyOf, randomOf } from '../../base/random.ts';
import type { TracedTurn, TraceSource } from '../../trace/trace.ts';
import { binLength, clockUnits, Sample, TurnTally } from './sample.ts';
import { ArrivalCounts } from './arrival-counts.ts';
import { type ConversationSource, userTurns } from '../../dataset/conversation.ts';

/** Observations of a trace, read once in constant memory. */
export type ObservedTrace = ReturnType<typeof emptyObservations>;

function emptyObservations(trace: TraceSource, seed: number) {
  const sampled = (name: string, units: readonly number[]): Sample => new Sample(randomOf(seed, keyOf(name)), units);
  const whole = { sessions: trace.count, lengthMs: trace.lengthMs };
  const binMs = binLength(whole);
  return {
    lengthMs: trace.lengthMs,
    /** `undefined`: all sessions start at one instant. */
    arrivals:
      trace.lengthMs > 0
        ? new ArrivalCounts(whole, binMs ?? trace.lengthMs, randomOf(seed, keyOf('arrivals')))
        : undefined,
    /** True if there are enough sessions for a rate over time. */
    isBinned: binMs !== undefined,
    turns: new TurnTally(),
    /** Time between turns of a session, without the reply. */
    gaps: sampled('gaps', clockUnits),
    /** Number of gaps whose reply time is in the trace. */
    knownWaits: 0,
    inputTokens: sampled('inputTokens', [1]),
    /** Input of later turns beyond the previous turn and its reply: their own, if input covers the whole conversation. */
    growth: sampled('growth', [1]),
    /** Number of later turns with input tokens in both turns, and of those with more than the previous turn. */
    pairs: 0,
    grew: 0,
    outputTokens: sampled('outputTokens', [1]),
    /** Lengths and durations of 0: failed requests, or missing values. */
    zeros: { inputTokens: 0, outputTokens: 0, growth: 0, replyTimes: 0 },
    /** Number of reply times, of 0 as well. */
    replyTimes: 0,
  };
}

/** Reads a trace. `replyTimeMs` is subtracted from gaps between turns if the trace has no reply time. */
export function observeTrace(
  trace: TraceSource,
  { seed, replyTimeMs }: { seed: number; replyTimeMs: number },
): ObservedTrace {
  const observed = emptyObservations(trace, seed);
  for (let index = 0; index < trace.count; index++) {
    const { atMs, turns } = trace.at(index);
    observed.arrivals?.add(atMs);
    observed.turns.add(turns.length);
    turns.forEach((turn, at) => observeTurn(observed, turn, turns[at - 1], replyTimeMs));
  }
  return observed;
}

function observeTurn(
  observed: ObservedTrace,
  turn: TracedTurn,
  before: TracedTurn | undefined,
  replyTimeMs: number,
): void {
  const { zeros } = observed;
  if (turn.inputTokens === 0) zeros.inputTokens += 1;
  else if (turn.inputTokens !== null) observed.inputTokens.add(turn.inputTokens);
  if (turn.outputTokens === 0) zeros.outputTokens += 1;
  else if (turn.outputTokens !== null) observed.outputTokens.add(turn.outputTokens);
  if (turn.replyMs !== null) observed.replyTimes += 1;
  if (turn.replyMs === 0) zeros.replyTimes += 1;
  if (before === undefined) return;
  observed.gaps.add(Math.max(0, waitOf(turn, before) ?? turn.afterMs - before.afterMs - replyTimeMs));
  if (waitOf(turn, before) !== undefined) observed.knownWaits += 1;
  // 0 is no length.
  if (!turn.inputTokens || !before.inputTokens) return;
  observed.pairs += 1;
  if (turn.inputTokens > before.inputTokens) observed.grew += 1;
  const growth = turn.inputTokens - before.inputTokens - (before.outputTokens ?? 0);
  if (growth > 0) observed.growth.add(growth);
  else zeros.growth += 1;
}

/** Returns the time from the end of a reply to the next turn, as in the trace. */
function waitOf(turn: TracedTurn, before: TracedTurn): number | undefined {
  if (turn.waitMs !== null) return turn.waitMs;
  return !before.replyMs ? undefined : turn.afterMs - before.afterMs - before.replyMs;
}

/** Observations of conversations, read once in constant memory. */
export type ObservedConversations = ReturnType<typeof observeConversations>;

export function observeConversations(conversations: ConversationSource, { seed }: { seed: number }) {
  const observed = {
    turns: new TurnTally(),
    // In characters (UTF-16 units).
    messages: new Sample(randomOf(seed, keyOf('messages')), [1]),
    replies: new Sample(randomOf(seed, keyOf('replies')), [1]),
    /** Replies without text, such as calls of tools. */
    emptyReplies: 0,
  };
  for (let index = 0; index < conversations.count; index++) {
    const conversation = conversations.at(index);
    const texts = userTurns(conversation);
    observed.turns.add(texts.length);
    for (const text of texts) observed.messages.add(text.length);
    for (const { role, content } of conversation.messages)
      if (role === 'assistant') {
        if (content === '') observed.emptyReplies += 1;
        else observed.replies.add(content.length);
      }
  }
  return observed;
}
