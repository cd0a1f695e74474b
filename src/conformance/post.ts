import type { ExchangeFailure } from '../protocol/outcome.ts';
import type { ChatRequest } from '../protocol/protocol.ts';
import { refusedKey } from '../protocol/refused-key.ts';

/** Which key an exchange is made with: the caller's own, an unknown one, one of another kind, or none. */
export type KeyUsed = 'good' | 'wrong' | 'wrong_kind' | 'none';

export interface Asked extends ChatRequest {
  key: KeyUsed;
  /** Closes the connection as soon as a first event has come. */
  leavesEarly?: boolean;
}

/** One event of a reply in pieces. */
export interface CameEvent {
  /** The `event` field; '' where there is none. */
  type: string;
  data: string;
  /** In which read of the connection its last byte came. */
  read: number;
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
  /** The events of a reply in pieces, those of one that broke off too; `undefined`: it is none. */
  events?: readonly CameEvent[] | undefined;
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

/** Throws an environment error for a key that is refused. Only for the first creation and the first message: later ones had been accepted before. */
export function acceptKey({ status }: Pick<Answer, 'status'>): void {
  if (status === 401 || status === 403) throw refusedKey(String(status), 'no rule can be tried');
}
