import { printableLines } from './printable.ts';

/** Cause of a failure; the command line turns it into an exit code (2 usage, 3 environment, 4 not comparable). */
export type ErrorCode = 'usage' | 'environment' | 'not_comparable';

/**
 * An error of the user or the environment: what happened, and which flag or file to change. Shown without a stack; safe
 * for a terminal, whatever it quotes.
 */
export class ChatLoadError extends Error {
  readonly code: ErrorCode;
  /** The remedy, as one sentence or more. */
  readonly hint: string;

  constructor(code: ErrorCode, text: { message: string; hint: string; cause?: unknown }) {
    super(printableLines(text.message), text.cause === undefined ? undefined : { cause: text.cause });
    this.name = 'ChatLoadError';
    this.code = code;
    this.hint = printableLines(text.hint);
  }
}

/** Creates an error of the user: an unusable flag, file or scenario. */
export function usageError(message: string, hint: string, cause?: unknown): ChatLoadError {
  return new ChatLoadError('usage', { message, hint, cause });
}

/** Creates an error of the environment: the target, a file or this machine. */
export function environmentError(message: string, hint: string, cause?: unknown): ChatLoadError {
  return new ChatLoadError('environment', { message, hint, cause });
}

/** Returns the message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(message);
  } catch {
    // Anything can be thrown, even values without text.
    return 'something without a message was thrown';
  }
}
