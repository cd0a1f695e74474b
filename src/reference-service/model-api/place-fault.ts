import type { Ms } from '../../base/time.ts';
import type { FaultEffect } from '../../scenario/embedded-faults.ts';
import {
  isStreamFault,
  type StreamErrorType,
  type StreamFaultEffect,
  type StreamFaultKind,
} from '../../scenario/embedded-stream-faults.ts';
import type { MadeReply } from './make-reply.ts';
import { classOfProblem, type Problem } from './problem.ts';
import type { ServiceClass } from '../books/service-class.ts';
import type { StreamEnd } from '../http/event-sink.ts';

/** What goes wrong in one reply in pieces. `at`: how many pieces come first; `name`: what it is counted under. */
export type PlacedFault =
  | StoppingFault
  | { does: 'stall'; at: number; forMs: Ms; name: StreamFaultKind }
  | PieceFault
  | { does: 'leave_out_done' | 'buffer'; at: undefined; name: StreamFaultKind };

/** One that spoils a piece. */
interface PieceFault {
  does: 'duplicate' | 'swap' | 'drop';
  at: number;
  name: StreamFaultKind;
}

/** One that ends the reply early. */
export interface StoppingFault {
  does: 'stop';
  at: number;
  outcome: ServiceClass;
  end: StreamEnd;
  /** What is said then. */
  problem?: Problem;
  name?: StreamFaultKind;
}

/** Where a fault goes in a reply; `undefined` where it has no room in it, or is none of a reply in pieces. */
export function placeFault(
  effect: FaultEffect | undefined,
  { reasoning, pieces }: Pick<MadeReply, 'reasoning' | 'pieces'>,
): PlacedFault | undefined {
  const total = reasoning.length + pieces.length;
  if (effect?.kind === 'cut') return { does: 'stop', at: total >> 1, outcome: 'cut', end: 'closed' };
  if (effect === undefined || !isStreamFault(effect)) return undefined;
  return placeIn({ from: reasoning.length, total, tag: tagIn(pieces) }, effect);
}

/** The pieces of a reply: `from` is the first one of the answer. */
interface Extent {
  from: number;
  total: number;
  /** The first piece of a tag that the agent was to repeat, among those of the answer; -1: there is none. */
  tag: number;
}

function placeIn(extent: Extent, effect: StreamFaultEffect): PlacedFault | undefined {
  const name = effect.kind;
  const at = Math.min(effect.afterEvents ?? extent.total >> 1, extent.total);
  const inTag = effect.afterEvents === null && extent.tag !== -1 ? extent.from + extent.tag : at;
  switch (name) {
    case 'stream_cut':
      return { does: 'stop', at, outcome: 'cut', end: 'reset', name };
    case 'stream_end':
      return { does: 'stop', at, outcome: 'truncated', end: 'whole', name };
    case 'stream_error': {
      const problem = problems[effect.type];
      return { does: 'stop', at, outcome: classOfProblem(problem), end: 'whole', problem, name };
    }
    case 'stream_stall':
      return { does: 'stall', at, forMs: effect.forMs, name };
    case 'stream_duplicate':
      return inAnswer(extent, { does: 'duplicate', at: inTag === at ? at : inTag + 1, name });
    case 'stream_swap':
      return inAnswer({ ...extent, total: extent.total - 1 }, { does: 'swap', at: inTag, name });
    case 'stream_drop':
      return inAnswer(extent, { does: 'drop', at: inTag, name });
    case 'stream_no_done':
      return { does: 'leave_out_done', at: undefined, name };
    case 'stream_buffered':
      return { does: 'buffer', at: undefined, name };
  }
}

/** Where a tag begins: `t12-3-`, and its seal. A spoilt one is seen by whoever asked for it; of other words nobody can know. */
function tagIn(pieces: readonly string[]): number {
  return pieces.findIndex((_, index) => /^\s*t\d+-\d+-\w{6}/.test(pieces.slice(index, index + 3).join('')));
}

/** It hits a piece of the answer: nothing judges the others. */
function inAnswer({ from, total }: Omit<Extent, 'tag'>, fault: PieceFault): PieceFault | undefined {
  return total <= from ? undefined : { ...fault, at: Math.max(from, Math.min(fault.at, total - 1)) };
}

const problems: Readonly<Record<StreamErrorType, Problem>> = {
  server: { status: 500, message: 'The server had an error while it made the reply' },
  overloaded: { status: 529, message: 'Overloaded' },
  rate_limit: { status: 429, message: 'Too many requests' },
  quota: { status: 429, message: 'The quota is used up', code: 'insufficient_quota' },
};
