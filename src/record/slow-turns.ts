import { z } from 'zod';
import { durationMs, text, textOrNull } from '../base/field.ts';
import { callOutcomes, modelApis } from '../protocol/model-call.ts';
import { attemptClassNames, turnClassNames, type AttemptClass, type TurnClass } from '../protocol/outcome.ts';

export const maxSlowTurns = 20;

const slowCallSchema = z.object({
  offsetMs: durationMs('Arrival of the call, since the first send of the turn'),
  durationMs: durationMs('Arrival to the end of the response')
    .nullable()
    .describe('Arrival to the end of the response (milliseconds; null for a call that was still open)'),
  outcome: z.enum(callOutcomes).nullable().describe('Outcome; null for a call that was still open'),
  api: z.enum(modelApis).describe('Route of the request'),
  model: text('Model as requested; secrets are redacted'),
  isRepeat: z.boolean().describe('True for a repeat of a failed call'),
});

/** A slow turn with its attempts and their model calls, as published. */
export const slowTurnSchema = z.object({
  session: z.int().min(1).describe('Number of the session, from 1'),
  turn: z.int().min(1).describe('Number of the turn, from 1'),
  outcome: z.enum(turnClassNames as [TurnClass, ...TurnClass[]]).describe('Class of the turn'),
  atMs: durationMs('First send of the turn, since the start of the run'),
  durationMs: durationMs('First send to the end of the last attempt'),
  attempts: z
    .array(
      z.object({
        offsetMs: durationMs('Send of the attempt, since the first send of the turn'),
        durationMs: durationMs('Send to the end of the attempt'),
        outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]).describe('Class of the attempt'),
        traceId: textOrNull('Id of its trace (W3C traceparent)').optional(),
        calls: z.array(slowCallSchema).describe('Model calls by arrival, at most 200 per turn'),
      }),
    )
    .describe('Attempts in their order'),
});
export type SlowTurn = z.infer<typeof slowTurnSchema>;

/** Selects the slowest turns, the slowest first; the result does not depend on the order. */
export function mergeSlowTurns(turns: readonly SlowTurn[]): SlowTurn[] {
  return turns
    .toSorted((a, b) => b.durationMs - a.durationMs || a.session - b.session || a.turn - b.turn)
    .slice(0, maxSlowTurns);
}

/** Collects the slowest turns. */
export class SlowTurns {
  #kept: SlowTurn[] = [];
  #fresh: SlowTurn[] = [];

  /** Reports whether a turn of this duration would be kept; called before one is built. */
  wants(turnMs: number): boolean {
    const last = this.#kept[maxSlowTurns - 1];
    return last === undefined || turnMs > last.durationMs;
  }

  keep(turn: SlowTurn): void {
    this.#kept = mergeSlowTurns([...this.#kept, turn]);
    this.#fresh.push(turn);
  }

  /** Returns the turns kept since the last call, as a part of a snapshot. */
  takeFresh(): SlowTurnPart {
    const fresh = mergeSlowTurns(this.#fresh);
    this.#fresh = [];
    return partOf(fresh);
  }

  all(): SlowTurnPart {
    return partOf([...this.#kept]);
  }
}

interface SlowTurnPart {
  slowTurns?: SlowTurn[];
}

const partOf = (slowTurns: SlowTurn[]): SlowTurnPart => (slowTurns.length === 0 ? {} : { slowTurns });
