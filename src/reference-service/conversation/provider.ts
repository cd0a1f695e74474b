import type { Instant } from '../../base/time.ts';
import type { EarlierTurns } from './conversation.ts';
import type { Briefing } from './instructions.ts';

/** Everything a reply depends on. */
export interface Prompt {
  briefing: Briefing;
  earlier: EarlierTurns;
  message: string;
  /** What a tool gave that was called for this message. */
  toolResult?: string | undefined;
  /** Whether tools may be called. */
  hasTools?: boolean;
}

export type ProviderReply =
  | { kind: 'reply'; text: string }
  /** A tool is to be called; `text` is its input, JSON. */
  | { kind: 'call'; name: string; text: string }
  /** The provider's status goes on to the client, under `Chat provider error`. */
  | { kind: 'failed'; status: number; retryAfter: string | undefined };

/** Sends a reply in pieces. */
type Play = (reply: ProviderReply, firstAt: Instant) => Promise<void>;

/** The port to the underlying chat service, which makes the replies. Whatever that service does is an answer. */
export interface Provider {
  /** Returns a promise only when the answer takes time. Never rejects. */
  answer(prompt: Prompt): ProviderReply | Promise<ProviderReply>;
  /**
   * Answers in pieces: `play` is called as soon as the reply has a place, with the instant of its first piece, and keeps
   * that place until it is done. `since`: when the request came. Rejects only when `play` does.
   */
  stream(prompt: Prompt, since: Instant, play: Play): Promise<void>;
  /** Replies in progress, and those that wait for a place. */
  load(): { busy: number; waiting: number };
  /** Releases all resources; answers under way may be lost. */
  close(): void;
}
