import type { ServerResponse } from 'node:http';
import type { Instant } from '../../base/time.ts';
import type { Operation } from '../../protocol/protocol.ts';
import type { ApiName } from '../books/api-names.ts';
import type { Incoming } from '../http/incoming.ts';

/** A request that was read in this process, and is not served yet. */
export interface UnservedRequest {
  operation: Operation;
  /** `undefined`: chat-messaging. */
  api: ApiName | undefined;
  arrivedAt: Instant;
  incoming: Incoming;
  response: ServerResponse;
}

/** The other processes of a service that has several, as one of them sees them. */
export interface Peers {
  /** When the service as a whole started, by the clock of this service. */
  readonly startedAt: Instant;
  /** An id that says which process has the session. */
  readonly newSessionId: () => string;
  /** Has the request served by the process that it belongs to; `false`: that is this one. */
  forward(request: UnservedRequest): boolean;
  /** The books of all processes. */
  stats(): Promise<object>;
  /** The turns of a session, whoever has it. */
  ledger(sessionId: string): Promise<object | undefined>;
}
