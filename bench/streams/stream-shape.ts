import { fileURLToPath } from 'node:url';
import type { TargetProgram } from '../with-target.ts';

/** How a target streams. */
export interface StreamShape {
  /** Content events of a reply; `null`: it never ends. */
  events: number | null;
  /** From the request to the first of them. */
  firstMs: number;
  /** From one to the next; with 0, and no wait for the first, one in each turn of the event loop. */
  gapMs: number;
  /** Whether the instants of every reply are kept. */
  keepsRecords: boolean;
}

/** Replies of 100 events as fast as they go. */
export const flatOut: StreamShape = { events: 100, firstMs: 0, gapMs: 0, keepsRecords: false };

/** The target of this shape, for `withTarget`. */
export function streamTarget(shape: StreamShape): TargetProgram {
  return { program: [fileURLToPath(new URL('target.ts', import.meta.url)), JSON.stringify(shape)] };
}
