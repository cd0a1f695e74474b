import type { Instant } from '../base/time.ts';
import type { HeaderFields } from '../protocol/protocol.ts';

/** What authorizes requests where it changes while a run goes on: a token that is renewed, once for all sessions. */
export interface Access {
  /** What a request is sent with now. */
  readonly credential: string;
  /** Calls back with every new one, until the returned function is called. */
  follow(renewed: (fields: HeaderFields) => void): () => void;
  /** Whether a 401 to a request that was sent then may be that of a token that had ended. Changes nothing. */
  mayHaveEnded(sentAt: Instant): boolean;
  /** Resolves with whether there is another token than the one that was sent then. Many may wait: it is obtained once. */
  renewedSince(sentAt: Instant): Promise<boolean>;
  /** An attempt is made again with the new one. */
  retried(): void;
  readonly counts: { readonly fetched: number; readonly failed: number; readonly retried: number };
  /** Resolves with the reason when requests have waited too long for a new token; else never. */
  readonly lost: Promise<string>;
  /** Nothing is obtained any more. */
  close(): void;
}
