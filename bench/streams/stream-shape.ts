import { fileURLToPath } from 'node:url';
import type { TargetProgram } from '../with-target.ts';

/** Timing of a target's streams. */
export interface StreamShape {
  /** Number of content events in a reply; null for an endless one. */
  events: number | null;
  /** Time from the request to the first content event. */
  firstMs: number;
  /** Gap between events; if this and the first wait are 0, one event per turn of the event loop. */
  gapMs: number;
  /** True to record the times of every reply. */
  keepsRecords: boolean;
}

/** Replies of 100 events as fast as possible. */
export const flatOut: StreamShape = { events: 100, firstMs: 0, gapMs: 0, keepsRecords: false };

/** Returns the program of a target with this shape, for `withTarget`. */
export function streamTarget(shape: StreamShape): TargetProgram {
  return { program: [fileURLToPath(new URL('target.ts', import.meta.url)), JSON.stringify(shape)] };
}
