import type { ExchangeFailure } from '../protocol/outcome.ts';
import type { ChatRequest } from '../protocol/protocol.ts';
import { refusedKey } from '../protocol/refused-key.ts';

/** The key of an exchange: the caller's own, an unknown one, one of another kind, or none. */
export type KeyUsed = 'good' | 'wrong' | 'wrong_kind' | 'none';

export interface CheckRequest extends ChatRequest {
  key: KeyUsed;
  /** Closes the connection as soon as a first event was received. */
  leavesEarly?: boolean;
}

/** One event of a streamed reply. */
export interface ReceivedEvent {
  /** The `event` field; '' without one. */
  type: string;
  data: string;
  /** Number of the read of the connection in which its last byte was received. */
  read: number;
}

/** The response of the service. Contains its raw texts. */
export interface Answer {
  /** 0 without a complete response. */
  status: number;
  /** '' without one. */
  contentType: string;
  /** The header as received; '' without one. */
  retryAfter: string;
  body: string;
  /** Events of a streamed reply, also of a broken one; `undefined`: the reply is not streamed. */
  events?: readonly ReceivedEvent[] | undefined;
  /** Class of an exchange without a complete, readable response. */
  failure: ExchangeFailure | undefined;
  /** Reason of the failure; '' without one. */
  detail: string;
  /** Wall clock, milliseconds since 1970. */
  sentAtMs: number;
  endedAtMs: number;
}

/** Sends a request with its own body and key. Never rejects. */
export type Post = (request: CheckRequest) => Promise<Answer>;

/** Throws an environment error for a rejected key. Only for the first creation and the first message: later ones had been accepted before. */
export function acceptKey({ status }: Pick<Answer, 'status'>): void {
  if (status === 401 || status === 403) throw refusedKey(String(status), 'no rule can be tried');
}
