import { hashOf } from '../base/random.ts';

/** An attempt within a run. */
export interface TracedAttempt {
  /** From 1. */
  session: number;
  /** From 1; 0 for a creation. */
  turn: number;
  /** From 1. */
  attempt: number;
}

const pattern = /^[0-9a-f]{32}$/;

/** Numbers of digits of the parts: run, session, turn, attempt and checksum. */
const digits = { run: 8, session: 8, turn: 6, attempt: 4, checksum: 6 } as const;

/**
 * Returns the trace id of an attempt. It contains the attempt, so that a model call is attributed before the record of its
 * attempt arrives. The checksum distinguishes it from ids that only look alike; it is never 0, so neither is the id.
 *
 * @param run 8 hexadecimal digits of the run
 */
export function makeTraceId(run: string, { session, turn, attempt }: TracedAttempt): string {
  const place = { session, turn, attempt: Math.min(attempt, 0xffff) };
  const parts = (['session', 'turn', 'attempt'] as const).map((name) => hex(place[name], digits[name]));
  return `${run}${parts.join('')}${checksumOf(run, place)}`;
}

/** Returns the attempt of a trace id; `undefined` for an id that is not of this run. */
export function readTraceId(id: string, run: string): TracedAttempt | undefined {
  if (!pattern.test(id) || !id.startsWith(run)) return undefined;
  const place = {
    session: Number.parseInt(id.slice(8, 16), 16),
    turn: Number.parseInt(id.slice(16, 22), 16),
    attempt: Number.parseInt(id.slice(22, 26), 16),
  };
  return id.slice(26) === checksumOf(run, place) ? place : undefined;
}

const hex = (value: number, length: number): string => value.toString(16).padStart(length, '0');

function checksumOf(run: string, { session, turn, attempt }: TracedAttempt): string {
  const hash = hashOf([Number.parseInt(run, 16), session, turn, attempt]) & 0xffffff;
  return hex(hash === 0 ? 1 : hash, digits.checksum);
}
