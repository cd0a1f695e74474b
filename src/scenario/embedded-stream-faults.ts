import { z } from 'zod';
import type { Ms } from '../base/time.ts';
import { closedObject } from './closed-object.ts';
import { duration, type Duration } from './duration.ts';

/** What goes wrong in a reply in pieces. `afterEvents`: how many pieces come first; default half of them. */
export type StreamFaultOptions =
  /** The connection is reset. */
  | { kind: 'stream_cut'; afterEvents?: number }
  /** The response ends as HTTP wants it, but without the end that the API has. */
  | { kind: 'stream_end'; afterEvents?: number }
  /** Silence for that long, then the rest. */
  | { kind: 'stream_stall'; for: Duration; afterEvents?: number }
  /** An error event in place of the rest. Default `type` is `'server'`. */
  | { kind: 'stream_error'; type?: StreamErrorType; afterEvents?: number }
  /** A piece is sent twice, two pieces that follow one another come the other way round, or a piece is left out. */
  | { kind: 'stream_duplicate' | 'stream_swap' | 'stream_drop'; afterEvents?: number }
  /** Chat completions: the last line, `data: [DONE]`, is missing. */
  | { kind: 'stream_no_done' }
  /** All events come in one write at the end, as from a proxy that buffers. */
  | { kind: 'stream_buffered' };

export type StreamFaultKind = StreamFaultOptions['kind'];
export type StreamErrorType = (typeof streamErrorTypes)[number];

/** Such a fault as read; `afterEvents` is `null` for half of the pieces. */
export type StreamFaultEffect = { afterEvents: number | null } & (
  | { kind: Exclude<StreamFaultKind, 'stream_stall' | 'stream_error'> }
  | { kind: 'stream_stall'; forMs: Ms }
  | { kind: 'stream_error'; type: StreamErrorType }
);

const streamErrorTypes = ['server', 'overloaded', 'rate_limit', 'quota'] as const;
const placedKinds = ['stream_cut', 'stream_end', 'stream_duplicate', 'stream_swap', 'stream_drop'] as const;
const unplacedKinds = ['stream_no_done', 'stream_buffered'] as const;

export const streamFaultKinds: readonly StreamFaultKind[] = [
  ...placedKinds,
  'stream_stall',
  'stream_error',
  ...unplacedKinds,
];

const afterEvents = z.int().min(0).optional();

/** The schemas of these faults, each with the fields of its timing. */
export function streamFaultSchemas<Timing extends z.ZodRawShape>(timing: Timing) {
  return [
    closedObject({ kind: z.enum(placedKinds), ...timing, afterEvents }),
    closedObject({ kind: z.literal('stream_stall'), ...timing, for: duration, afterEvents }),
    closedObject({
      kind: z.literal('stream_error'),
      ...timing,
      type: z.enum(streamErrorTypes).prefault('server'),
      afterEvents,
    }),
    closedObject({ kind: z.enum(unplacedKinds), ...timing }),
  ] as const;
}

type ReadStreamFault =
  | { kind: (typeof placedKinds)[number]; afterEvents?: number | undefined }
  | { kind: 'stream_stall'; for: Ms; afterEvents?: number | undefined }
  | { kind: 'stream_error'; type: StreamErrorType; afterEvents?: number | undefined }
  | { kind: (typeof unplacedKinds)[number] };

export function streamEffectOf(fault: ReadStreamFault): StreamFaultEffect {
  const after = { afterEvents: 'afterEvents' in fault ? (fault.afterEvents ?? null) : null };
  switch (fault.kind) {
    case 'stream_stall':
      return { ...after, kind: fault.kind, forMs: fault.for };
    case 'stream_error':
      return { ...after, kind: fault.kind, type: fault.type };
    default:
      return { ...after, kind: fault.kind };
  }
}

/** Whether a fault is one of those that only a reply in pieces shows. */
export function isStreamFault<Fault extends { kind: string }>(
  fault: Fault,
): fault is Extract<Fault, { kind: StreamFaultKind }> {
  return (streamFaultKinds as readonly string[]).includes(fault.kind);
}
