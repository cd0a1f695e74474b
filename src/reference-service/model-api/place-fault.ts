import {
  isStreamEffect,
  type FaultEffect,
  type StreamEffect,
  type StreamFaultKind,
} from '../../scenario/embedded-faults.ts';
import type { MadeReply } from './make-reply.ts';
import { classOfProblem, type Problem } from './model-api.ts';
import type { StreamEnd } from '../http/write-delivery.ts';
import type { ServiceClass } from '../books/service-class.ts';

/** What goes wrong in one reply in pieces. `at`: how many pieces come first. */
export type PlacedFault =
  | StoppingFault
  | (Extract<StreamEffect, { does: 'stall' | PieceFault }> & { at: number })
  | (Extract<StreamEffect, { does: 'leave_out_done' | 'buffer' }> & { at: undefined });

/** Those that spoil a piece. */
type PieceFault = 'duplicate' | 'swap' | 'drop';

/** One that ends the reply early. */
export interface StoppingFault {
  does: 'stop';
  at: number;
  outcome: ServiceClass;
  end: StreamEnd;
  /** What is said then. */
  problem: Problem | undefined;
  /** `undefined`: it is none of a reply in pieces alone. */
  kind: StreamFaultKind | undefined;
}

/** Where a fault goes in a reply; `undefined` where it has no room in it, or is none of a reply in pieces. */
export function placeFault(
  effect: FaultEffect | undefined,
  { reasoning, pieces }: Pick<MadeReply, 'reasoning' | 'pieces'>,
): PlacedFault | undefined {
  const total = reasoning.length + pieces.length;
  const half = total >> 1;
  if (effect?.does === 'cut')
    return { does: 'stop', at: half, outcome: 'cut', end: 'closed', problem: undefined, kind: undefined };
  if (effect === undefined || !isStreamEffect(effect)) return undefined;
  const at = Math.min(effect.afterEvents ?? half, total);
  switch (effect.does) {
    case 'stop':
      return {
        does: 'stop',
        at,
        outcome: classAtStop(effect),
        end: effect.end,
        problem: effect.error,
        kind: effect.kind,
      };
    case 'stall':
      return { ...effect, at };
    case 'leave_out_done':
    case 'buffer':
      return { ...effect, at: undefined };
    default: {
      // Nothing judges the pieces of reasoning.
      const from = reasoning.length;
      const last = total - (effect.does === 'swap' ? 2 : 1);
      return last < from
        ? undefined
        : { ...effect, at: Math.max(from, Math.min(spoilt(effect, { at, from, pieces }), last)) };
    }
  }
}

const classAtStop = ({ error, end }: Extract<StreamEffect, { does: 'stop' }>): ServiceClass =>
  error === undefined ? (end === 'reset' ? 'cut' : 'truncated') : classOfProblem(error);

/** The piece to spoil where no place is given: one of the tag that the agent was to repeat, since of other words nobody can know. */
function spoilt(
  { does, afterEvents }: Extract<StreamEffect, { does: PieceFault }>,
  { at, from, pieces }: { at: number; from: number; pieces: readonly string[] },
): number {
  const tag = afterEvents === null ? tagIn(pieces) : -1;
  if (tag === -1 || from + tag === at) return at;
  return from + tag + (does === 'duplicate' ? 1 : 0);
}

/** Where a tag begins: `t12-3-`, and its seal; -1: there is none. */
function tagIn(pieces: readonly string[]): number {
  return pieces.findIndex((_, index) => /^\s*t\d+-\d+-\w{6}/.test(pieces.slice(index, index + 3).join('')));
}
