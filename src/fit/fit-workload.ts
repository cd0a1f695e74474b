import type { ConversationSource } from '../dataset/conversation.ts';
import type { TraceInput, TraceSource } from '../trace/trace.ts';
import type { Fit, FitNote, FitUnit, QuantityFit } from './document/fit.ts';
import { fitArrivals } from './fit-arrivals.ts';
import { fitLengths, minValues } from './fit-lengths.ts';
import { fitTurns } from './fit-turns.ts';
import {
  observeConversations,
  type ObservedConversations,
  observeTrace,
  type ObservedTrace,
} from './observe/observe-trace.ts';
import type { Sample } from './observe/sample.ts';
import { zerosOf } from './zeros-of.ts';

/** Inputs of a fit: at least one of the two. Figures in both are taken from the conversations, which are sent. */
export interface FitInput {
  trace?: TraceSource | undefined;
  conversations?: ConversationSource | undefined;
  /** Content of the trace's input tokens; `undefined`: detected. */
  input?: TraceInput | undefined;
}

export interface FitSettings {
  /** Picks the samples. */
  seed: number;
  /** Assumed reply time, subtracted from each gap between turns. */
  replyTimeMs: number;
}

type Parts = Pick<Fit, 'arrivals' | 'turns' | 'thinkTime' | 'messageLength' | 'replyLength' | 'zeros' | 'notes'>;

/** Fits a workload. Reads each source once. */
export function fitWorkload({ trace, conversations, input }: FitInput, settings: FitSettings): Parts {
  const notes = new Set<FitNote>();
  const traced = trace === undefined ? undefined : observeTrace(trace, settings);
  const spoken = conversations === undefined ? undefined : observeConversations(conversations, settings);
  const note = (added: FitNote): null => {
    notes.add(added);
    return null;
  };
  const parts: Omit<Parts, 'zeros' | 'notes'> = {
    arrivals: arrivalsOf(traced, note),
    turns: spoken === undefined ? tracedTurns(traced, note) : turnsOf(spoken, note),
    thinkTime: thinkTimeOf(traced, settings, note),
    ...(spoken === undefined ? tracedLengths(traced, input, note) : spokenLengths(spoken, note)),
  };
  if (parts.replyLength !== null) note('reply_lengths_unused');
  const isContext = notes.has('input_is_context');
  return { ...parts, zeros: zerosOf({ traced, spoken, isContext }), notes: [...notes] };
}

type Note = (added: FitNote) => null;

function arrivalsOf(traced: ObservedTrace | undefined, note: Note): Fit['arrivals'] {
  if (traced === undefined) return note('no_arrivals');
  if (traced.arrivals === undefined) return note('one_instant');
  const { arrivals, notes } = fitArrivals(traced.arrivals, traced.lengthMs, traced.isBinned);
  notes.forEach(note);
  return arrivals;
}

/** Requests without sessions are one turn each, however few they are. */
function tracedTurns(traced: ObservedTrace | undefined, note: Note): QuantityFit | null {
  if (traced === undefined) return note('few_sessions');
  const isSingle = traced.turns.counts().every(({ turns }) => turns === 1);
  return turnsOf(traced, note, isSingle ? 1 : minValues);
}

function turnsOf(
  observed: ObservedTrace | ObservedConversations,
  note: Note,
  min: number = minValues,
): QuantityFit | null {
  if (observed.turns.sessions < min) return note('few_sessions');
  if (observed.turns.clipped > 0) note('many_turns');
  const turns = fitTurns(observed.turns.counts());
  if (turns.distribution.kind === 'constant' && turns.distribution.value === 1) note('one_turn_each');
  return turns;
}

function thinkTimeOf(traced: ObservedTrace | undefined, { replyTimeMs }: FitSettings, note: Note): QuantityFit | null {
  if (traced === undefined || traced.gaps.count === 0) return note('no_gaps');
  const positive = traced.gaps.count - traced.gaps.zeros;
  if (traced.gaps.count < minValues || (positive > 0 && positive < minValues)) return note('few_gaps');
  if (traced.knownWaits === traced.gaps.count) note('reply_time_known');
  else note(replyTimeMs > 0 ? 'reply_time_subtracted' : 'reply_time_included');
  return fitLengths(traced.gaps, 'ms');
}

type Lengths = Pick<Parts, 'messageLength' | 'replyLength'>;

function spokenLengths({ messages, replies }: ObservedConversations, note: Note): Lengths {
  return { messageLength: lengthsOf(messages, 'characters', note), replyLength: lengthsOf(replies, 'characters') };
}

function tracedLengths(traced: ObservedTrace | undefined, input: TraceInput | undefined, note: Note): Lengths {
  if (traced === undefined) return { messageLength: note('no_lengths'), replyLength: null };
  const isContext = input === undefined ? growsWithTurns(traced) : input === 'whole' && traced.pairs > 0;
  if (isContext) note('input_is_context');
  else if (traced.pairs >= minValues) note('input_is_message');
  else if (traced.pairs > 0 && input === undefined) note('few_later_turns');
  const messages = isContext ? traced.growth : traced.inputTokens;
  return {
    messageLength: lengthsOf(messages, 'tokens', note),
    replyLength: lengthsOf(traced.outputTokens, 'tokens'),
  };
}

/** Reports whether input tokens nearly always rise from turn to turn: independent message lengths do so every second time. */
function growsWithTurns({ pairs, grew }: ObservedTrace): boolean {
  return pairs >= minValues && grew >= 0.95 * pairs;
}

function lengthsOf(sample: Sample, unit: FitUnit, note: Note = () => null): QuantityFit | null {
  if (sample.count === 0) return note('no_lengths');
  if (sample.count - sample.zeros < minValues) return note('few_lengths');
  return fitLengths(sample, unit);
}
