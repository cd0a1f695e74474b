import type { AttemptClass, ExchangeFailure } from './outcome.ts';

/** What an exchange is for: a session is created, or a message of it is sent. */
export const operations = ['create', 'message'] as const;
export type Operation = (typeof operations)[number];

/** What of an exchange tells its class. */
export interface Received {
  /** `undefined` when a whole response was read. */
  failure: ExchangeFailure | undefined;
  /** Why it failed, in words for a person; '' when it did not. */
  detail: string;
  /** Status of the final response; 0 when no whole head was read. */
  status: number;
  /** The response body as text, with U+FFFD for what is not UTF-8; '' on failure. */
  body: string;
  /** Whether the body was UTF-8 from end to end; true on failure. */
  isUtf8: boolean;
}

/** What an exchange amounts to. */
export interface Verdict {
  outcome: AttemptClass;
  /** Why, in words; '' for `ok`. Holds no reply text. */
  detail: string;
  /** What the judge took from an ok reply: the session id of a creation, the reply of a message. */
  value: string;
}
