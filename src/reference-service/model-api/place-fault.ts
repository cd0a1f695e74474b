import {
  isSocketEffect,
  isStreamEffect,
  type FaultEffect,
  type StreamEffect,
  type StreamFaultKind,
} from '../../scenario/embedded-faults.ts';
import type { MadeReply, ReplyRequest } from './make-reply.ts';
import { classOfProblem, type ModelApi, type Problem } from './model-api.ts';
import type { StreamEnd } from '../http/write-delivery.ts';
import { classOfClose } from '../../protocol/close-class.ts';
import type { ServiceClass } from '../books/service-class.ts';

/** A fault at its position in one streamed reply. `at`: number of tokens before it. */
export type PlacedFault =
  | StoppingFault
  | (Extract<StreamEffect, { does: 'stall' | TokenFault | InsertedFault }> & { at: number })
  | (Extract<StreamEffect, { does: 'leave_out_done' | 'buffer' }> & { at: undefined });

/** Faults of one or two content events. */
type TokenFault = 'duplicate' | 'swap' | 'drop';
/** Faults before a content event. */
type InsertedFault = 'pings' | 'foreign';

/** A fault that ends the reply early. */
export interface StoppingFault {
  does: 'stop';
  at: number;
  outcome: ServiceClass;
  end: StreamEnd;
  /** Error that is sent at the end. */
  problem: Problem | undefined;
  /** `undefined`: the fault is not only one of streamed replies. */
  kind: StreamFaultKind | undefined;
}

/**
 * Only a streamed reply shows the faults of one, and only some APIs have a last line to omit. Over WebSocket there are no
 * bodies to define.
 */
export function canShow(
  effect: FaultEffect,
  { hasDone, foreign }: Pick<ModelApi, 'hasDone' | 'foreign'>,
  { isStreamed, isOnSocket = false }: Pick<ReplyRequest, 'isStreamed'> & { isOnSocket?: boolean },
): boolean {
  if (effect.does === 'leave_out_done') return isStreamed && hasDone;
  if (effect.does === 'foreign') return isOnSocket && foreign !== undefined;
  if (isSocketEffect(effect)) return isOnSocket;
  if (effect.does === 'answer' && effect.body !== null) return !isOnSocket;
  return isStreamed || !isStreamEffect(effect);
}

/** Places a fault in a reply; returns `undefined` if it does not fit, or does not concern streamed replies. */
export function placeFault(
  effect: FaultEffect | undefined,
  { reasoning, tokens }: Pick<MadeReply, 'reasoning' | 'tokens'>,
  isOnSocket = false,
): PlacedFault | undefined {
  const from = reasoning.length;
  const total = from + tokens.length;
  const half = total >> 1;
  if (effect?.does === 'cut')
    return { does: 'stop', at: half, outcome: 'cut', end: 'closed', problem: undefined, kind: undefined };
  if (effect === undefined || !isStreamEffect(effect)) return undefined;
  const at = Math.min(effect.afterEvents ?? half, total);
  switch (effect.does) {
    case 'stop': {
      const { error: problem, kind } = effect;
      // Without a terminator, a socket ends by an ordinary close.
      const end = isOnSocket && effect.end === 'whole' && problem === undefined ? { code: 1000 } : effect.end;
      const outcome = problem === undefined ? classOfEnd(end, at > 0) : classOfProblem(problem);
      return { does: 'stop', at, outcome, end, problem, kind };
    }
    case 'stall':
      return { ...effect, at };
    case 'pings':
    case 'foreign':
      return { ...effect, at: Math.min(at, total - 1) };
    case 'leave_out_done':
    case 'buffer':
      return { ...effect, at: undefined };
    default: {
      // Reasoning tokens are not judged.
      const last = total - (effect.does === 'swap' ? 2 : 1);
      if (last < from) return undefined;
      const tag = effect.afterEvents === null ? tagIn(tokens) : -1;
      // Without a configured position, a token of the tag that the agent was to repeat: no other text is known.
      const wanted = tag === -1 || from + tag === at ? at : from + tag + (effect.does === 'duplicate' ? 1 : 0);
      return { ...effect, at: Math.max(from, Math.min(wanted, last)) };
    }
  }
}

function classOfEnd(end: StreamEnd, hasContent: boolean): ServiceClass {
  if (end === 'whole') return 'truncated';
  if (end === 'not_utf8') return 'malformed';
  if (typeof end === 'string') return 'cut';
  const outcome = classOfClose(end.code, hasContent);
  return outcome === 'connection_lost' ? 'closed' : outcome;
}

/** Returns the index of the token at which a tag begins: `t12-3-`, and its seal; -1 if there is none. */
function tagIn(tokens: readonly string[]): number {
  return tokens.findIndex((_, index) => /^\s*t\d+-\d+-\w{6}/.test(tokens.slice(index, index + 3).join('')));
}
