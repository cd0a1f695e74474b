import type { Ms } from '../../../base/time.ts';

/** How far a response had come when a timeout ended it. */
interface Standing {
  /** In words: `after 20 bytes of the body`. */
  progress: string;
  /** Whether the end of a streamed reply had arrived, by its protocol. */
  hasReplyEnded: boolean;
}

/** The detail of an exchange that the total timeout ended. */
export function wordTimeout(timeoutMs: Ms, { progress, hasReplyEnded }: Standing): string {
  const where = hasReplyEnded ? `${openEnd}, ${progress}` : `it ended ${progress}`;
  return `no complete response within ${String(timeoutMs)} ms: ${where}`;
}

/** The detail of a streamed reply that the stall timeout ended. */
export function wordStall(afterMs: Ms, { progress, hasReplyEnded }: Standing): string {
  return hasReplyEnded
    ? `${openEnd} within ${String(afterMs)} ms of its last content, ${progress}`
    : `nothing more of the content within ${String(afterMs)} ms: it stalled ${progress}`;
}

const openEnd = 'the end of the reply had arrived, but the response was not ended';
