import type { SessionPlan } from '../plan/session-plan.ts';
import type { ChatRequest, Route } from '../protocol/protocol.ts';
import type { Send } from './send.ts';

/** The cookies of one session. */
export interface CookieJar {
  /** The value of the `Cookie` field for a request; '' for none. */
  valueFor(route: Route): string;
  /** Takes the `Set-Cookie` lines of a response to such a request. */
  take(route: Route, lines: readonly string[]): void;
}

/** One attempt in a tracing system. */
export interface Trace {
  /** By which it is found there. */
  readonly id: string;
  /** The value of `traceparent`. */
  readonly parent: string;
}

/** Where the parts of heads come from that differ from session to session, or from attempt to attempt. */
export interface HeadSources {
  /** `undefined`: no cookies are kept. */
  readonly newJar: (() => CookieJar) | undefined;
  /** `undefined`: attempts are not traced. */
  readonly newTrace: (() => Trace) | undefined;
  /** Is told what must not be shown. */
  readonly keepSecret: (secret: string) => void;
}

/** What the requests of one session have in their heads beside what all requests have. */
export class SessionHead {
  /** Of the latest attempt. */
  traceId: string | undefined;
  readonly #planned: Pick<SessionPlan, 'headers'>;
  readonly #sources: HeadSources;
  readonly #jar: CookieJar | undefined;
  #ofTurn = '';
  #ofAttempt = '';

  constructor(planned: Pick<SessionPlan, 'headers'>, sources: HeadSources) {
    this.#planned = planned;
    this.#sources = sources;
    this.#jar = sources.newJar?.();
  }

  /** Turn 0 is the creation. Throws what a function of the scenario threw. */
  beginTurn(turn: number): void {
    const { text, secrets } = this.#planned.headers(turn);
    if (text === this.#ofTurn) return;
    secrets.forEach((secret) => this.#sources.keepSecret(secret));
    this.#ofTurn = text;
  }

  /** What the exchanges of the next attempt are sent through. */
  beginAttempt(send: Send): Send {
    const trace = this.#sources.newTrace?.();
    this.traceId = trace?.id;
    this.#ofAttempt = trace === undefined ? this.#ofTurn : `${this.#ofTurn}traceparent: ${trace.parent}\r\n`;
    const jar = this.#jar;
    if (jar === undefined) return (request, ...rest) => send({ ...request, fields: this.#ofAttempt }, ...rest);
    return async (request, ...rest) => {
      const exchange = await send(this.#withCookies(request, jar), ...rest);
      if (exchange.setCookies !== undefined) jar.take(request.route, exchange.setCookies);
      return exchange;
    };
  }

  #withCookies(request: ChatRequest, jar: CookieJar): ChatRequest {
    const cookies = jar.valueFor(request.route);
    return { ...request, fields: cookies === '' ? this.#ofAttempt : `${this.#ofAttempt}Cookie: ${cookies}\r\n` };
  }
}
