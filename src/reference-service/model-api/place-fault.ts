import {
  isStreamEffect,
  type FaultEffect,
  type StreamEffect,
  type StreamFaultKind,
} from '../../scenario/embedded-faults.ts';
import type { MadeReply, ReplyRequest } from './make-reply.ts';
import { classOfProblem, type ModelApi, type Problem } from './model-api.ts';
import type { StreamEnd } from '../http/write-delivery.ts';
import type { ServiceClass } from '../books/service-class.ts';

/** A fault at its position in one streamed reply. `at`: number of tokens before it. */
export type PlacedFault =
  | StoppingFault
  | (Extract<StreamEffect, { does: 'stall' | TokenFault }> & { at: number })
  | (Extract<StreamEffect, { does: 'leave_out_done' | 'buffer' }> & { at: undefined });

/** Faults of one or two content events. */
type TokenFault = 'duplicate' | 'swap' | 'drop';

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

/** Only a streamed reply shows the faults of one, and only some APIs have a last line to omit. */
export function canShow(
  effect: FaultEffect,
  { hasDone }: Pick<ModelApi, 'hasDone'>,
  { isStreamed }: Pick<ReplyRequest, 'isStreamed'>,
): boolean {
  if (effect.does === 'leave_out_done') return isStreamed && hasDone;
  return isStreamed || !isStreamEffect(effect);
}

/** Places a fault in a reply; returns `undefined` if it does not fit, or does not concern streamed replies. */
export function placeFault(
  effect: FaultEffect | undefined,
  { reasoning, tokens }: Pick<MadeReply, 'reasoning' | 'tokens'>,
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
      const { end, error: problem, kind } = effect;
      const atEnd = end === 'reset' ? 'cut' : 'truncated';
      return { does: 'stop', at, outcome: problem === undefined ? atEnd : classOfProblem(problem), end, problem, kind };
    }
    case 'stall':
      return { ...effect, at };
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

/** Returns the index of the token at which a tag begins: `t12-3-`, and its seal; -1 if there is none. */
function tagIn(tokens: readonly string[]): number {
  return tokens.findIndex((_, index) => /^\s*t\d+-\d+-\w{6}/.test(tokens.slice(index, index + 3).join('')));
}
