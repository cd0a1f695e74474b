import type { Instant } from '../../base/time.ts';
import type { EarlierTurns } from './conversation.ts';
import type { Briefing } from './instructions.ts';

/** Everything a reply depends on. */
export interface Prompt {
  briefing: Briefing;
  earlier: EarlierTurns;
  message: string;
  /** Result of a tool that was called for this message. */
  toolResult?: string | undefined;
  /** True if tools may be called. */
  hasTools?: boolean;
}

export type ProviderReply =
  | { kind: 'reply'; text: string }
  /** A tool is to be called; `text` is its input, JSON. */
  | { kind: 'call'; name: string; text: string }
  /** The provider's status is passed on to the client, with `Chat provider error`. */
  | { kind: 'failed'; status: number; retryAfter: string | undefined };

/** The underlying chat service, which makes the replies. It reports failures as answers, too. */
export interface Provider {
  /** Returns a promise only if the answer takes time. Never rejects. */
  answer(prompt: Prompt): ProviderReply | Promise<ProviderReply>;
  /**
   * Streams a reply: `play` is called as soon as the reply has a slot, with the instant of its first token, and keeps that
   * slot until it is done. `since`: arrival of the request. Rejects only if `play` does.
   */
  stream(
    prompt: Prompt,
    since: Instant,
    play: (reply: ProviderReply, firstAt: Instant) => Promise<void>,
  ): Promise<void>;
  /** Returns the numbers of replies in progress and of replies that wait for a slot. */
  load(): { busy: number; waiting: number };
  /** Releases all resources; answers in progress may be lost. */
  close(): void;
}
