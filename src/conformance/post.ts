import type { ExchangeFailure } from '../protocol/outcome.ts';
import type { ChatRequest } from '../protocol/protocol.ts';

/** Which key an exchange is made with: the caller's own, an unknown one, or one of another kind. */
export type KeyUsed = 'good' | 'wrong' | 'wrong_kind';

export interface Asked extends ChatRequest {
  key: KeyUsed;
}

/** What came back, as far as rules look at it. Contains raw texts of the service. */
export interface Answer {
  /** 0 when no whole response came. */
  status: number;
  /** '' when there is none. */
  contentType: string;
  /** The header as it came; '' when there is none. */
  retryAfter: string;
  body: string;
  /** The class of an exchange without a whole response that can be read; `undefined` when one came. */
  failure: ExchangeFailure | undefined;
  /** Why there is none, in words; '' when one came. */
  detail: string;
  /** Wall clock, milliseconds since 1970. */
  sentAtMs: number;
  endedAtMs: number;
}

/** The port through which rules reach the service: with a body and a key of its own. Never rejects. */
export type Post = (asked: Asked) => Promise<Answer>;
