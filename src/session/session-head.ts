import type { Instant } from '../base/time.ts';
import type { SessionPlan } from '../plan/session-plan.ts';
import { requestWith } from '../protocol/chat-request.ts';
import type { Route } from '../protocol/protocol.ts';
import type { Send } from './send.ts';

/** The cookies of one session. */
export interface CookieJar {
  /** The value of the `Cookie` field for a request; '' for none. */
  valueFor(route: Route): string;
  /** Takes the `Set-Cookie` lines of a response to such a request. Returns the number of cookies that did not fit. */
  take(route: Route, lines: readonly string[]): number;
}

/** An attempt in a tracing system. */
export interface Trace {
  /** Key under which it is found. */
  readonly id: string;
  /** The value of `traceparent`. */
  readonly parent: string;
}

/** An attempt that is about to be sent. */
export interface SentAttempt {
  /** Number of its session. */
  session: number;
  policy: number;
  /** From 1; 0 for a creation. */
  turn: number;
  /** Number within its turn or creation, from 1. */
  attempt: number;
  message: string;
  sentAt: Instant;
  /** First send of its turn or creation. */
  countedFrom: Instant;
}

/** Sources of header parts that differ by session or by attempt. */
export interface HeadSources {
  /** `undefined`: no cookies are kept. */
  readonly newJar: (() => CookieJar) | undefined;
  /** `undefined`: attempts are not traced. */
  readonly newTrace: ((sent: SentAttempt) => Trace) | undefined;
  /** Header that contains the trace ID, besides `traceparent`. */
  readonly traceHeader?: string | undefined;
  /** Receives secrets that must not be written. */
  readonly keepSecret: (secret: string) => void;
}

/** Request headers of one session besides the shared ones. */
export class SessionHead {
  /** Trace ID of the latest attempt. */
  traceId: string | undefined;
  readonly #planned: Pick<SessionPlan, 'headers'>;
  readonly #sources: HeadSources;
  readonly #jar: CookieJar | undefined;
  /** Number of attempts of the turn. */
  #attempts = 0;
  #dropped = 0;
  #ofTurn = '';

  constructor(planned: Pick<SessionPlan, 'headers'>, sources: HeadSources) {
    this.#planned = planned;
    this.#sources = sources;
    this.#jar = sources.newJar?.();
  }

  /** Renders the headers of a turn; turn 0 is the creation. Rethrows exceptions of the scenario's functions. */
  beginTurn(turn: number): void {
    this.#attempts = 0;
    const { text, secrets } = this.#planned.headers(turn);
    if (text === this.#ofTurn) return;
    secrets.forEach((secret) => this.#sources.keepSecret(secret));
    this.#ofTurn = text;
  }

  /** Headers for the exchanges of the next attempt. */
  beginAttempt(send: Send, sent: Omit<SentAttempt, 'attempt'>): Send {
    const fields = this.#fieldsOf(sent);
    const jar = this.#jar;
    if (jar === undefined)
      return (request, sentAt, leaveAfterMs) => send(requestWith(request, fields), sentAt, leaveAfterMs);
    return async (request, sentAt, leaveAfterMs) => {
      const cookies = jar.valueFor(request.route);
      const own = cookies === '' ? fields : `${fields}Cookie: ${cookies}\r\n`;
      const exchange = await send(requestWith(request, own), sentAt, leaveAfterMs);
      if (exchange.setCookies !== undefined) this.#dropped += jar.take(request.route, exchange.setCookies);
      return exchange;
    };
  }

  /** Returns the number of cookies that did not fit into the jar since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Renders the header of an attempt. */
  #fieldsOf({ session, policy, turn, message, sentAt, countedFrom }: Omit<SentAttempt, 'attempt'>): string {
    const attempt = ++this.#attempts;
    const { newTrace, traceHeader } = this.#sources;
    const trace = newTrace?.({ session, policy, turn, attempt, message, sentAt, countedFrom });
    this.traceId = trace?.id;
    return trace === undefined ? this.#ofTurn : this.#ofTurn + traceFields(trace, traceHeader);
  }
}

const traceFields = ({ id, parent }: Trace, header: string | undefined): string =>
  `traceparent: ${parent}\r\n${header === undefined ? '' : `${header}: ${id}\r\n`}`;
