import { instant, later, ms } from '../../src/base/time.ts';
import type { Exchange, Send } from '../../src/session/send.ts';
import type { Operation } from '../../src/protocol/protocol.ts';
import type { FinishedClass } from '../../src/protocol/outcome.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';
import type { Answer, Asked, AnswerModel } from './service-model.ts';

/** A request as the service saw it. */
export interface Served {
  operation: Operation;
  /** Identity of a message: the session's number, its turn, and the attempt. */
  session: number;
  turn: number;
  attempt: number;
  sentAt: number;
  endedAt: number;
  wasAborted: boolean;
}

/** Answers by a distribution, in virtual time, and records the requests. */
export class PretendedService {
  readonly served: Served[] = [];
  #creations = 0;
  readonly #attempts = new Map<string, number>();
  readonly #inFlight = new Set<() => void>();
  readonly #model: AnswerModel;
  readonly #clock: VirtualClock;

  constructor(model: AnswerModel, clock: VirtualClock) {
    this.#model = model;
    this.#clock = clock;
  }

  readonly send: Send = ({ route: { operation }, body }, sentAt) => {
    const asked = this.#read(operation, body, sentAt);
    const answer = this.#model(asked);
    const sessionId = this.#sessionIdOf(asked, body);
    const reply = exchangeOf(asked, answer, { sessionId, chatId: `c${String(this.served.length)}` });
    const known = asked.operation === 'create' ? { session: 0, turn: 0, attempt: asked.ordinal } : asked;
    const { session, turn, attempt } = known;
    const served: Served = { operation, session, turn, attempt, sentAt, endedAt: Infinity, wasAborted: false };
    this.served.push(served);
    return new Promise((resolve) => {
      const end = (exchange: Exchange): void => {
        served.endedAt = exchange.endedAt;
        this.#inFlight.delete(abort);
        resolve(exchange);
      };
      const cancel = this.#clock.wakeAt(later(sentAt, ms(answer.afterMs)), () => end(reply));
      const abort = (): void => {
        cancel();
        served.wasAborted = true;
        end({ ...reply, ...nothing, failure: 'aborted', firstByteAt: undefined, endedAt: this.#clock.now() });
      };
      this.#inFlight.add(abort);
    });
  };

  abort(): void {
    for (const abort of [...this.#inFlight]) abort();
  }

  #read(operation: Operation, body: string, at: number): Asked {
    if (operation === 'create') return { operation, ordinal: ++this.#creations, at };
    const { message } = JSON.parse(body) as { message: string };
    const [session = 0, turn = 0] = message.split(' ').map(Number);
    const attempt = (this.#attempts.get(message) ?? 0) + 1;
    this.#attempts.set(message, attempt);
    return { operation, session, turn, attempt, at };
  }

  #sessionIdOf(asked: Asked, body: string): string {
    if (asked.operation === 'create') return `s${String(asked.ordinal)}`;
    return (JSON.parse(body) as { sessionId: string }).sessionId;
  }
}

const nothing = { status: 0, body: '', detail: '' };

interface Ids {
  sessionId: string;
  chatId: string;
}

function exchangeOf({ at }: Asked, answer: Answer, ids: Ids): Exchange {
  const { afterMs, firstByteAfterMs, connectMs, retryAfter } = answer;
  return {
    sentAt: instant(at),
    firstByteAt: firstByteAfterMs === undefined ? undefined : instant(at + firstByteAfterMs),
    endedAt: instant(at + afterMs),
    connectMs: connectMs === undefined ? undefined : ms(connectMs),
    reused: connectMs === undefined,
    retryAfter,
    isUtf8: true,
    detail: '',
    ...contentOf(answer, ids),
  };
}

const failed = (failure: NonNullable<Exchange['failure']>) => ({ failure, status: 0, body: '' });
const refused = (status: number, error: string) => ({ failure: undefined, status, body: JSON.stringify({ error }) });

/** Returns the content that determines the outcome. Successful creations and messages differ only in their status. */
function contentOf({ outcome, cost, hasHead }: Answer, ids: Ids): Pick<Exchange, 'failure' | 'status' | 'body'> {
  const reply = (data: object) => ({
    failure: undefined,
    status: 200,
    body: JSON.stringify({ success: true, data: { ...whole, ...ids, cost, ...data } }),
  });
  const contents: Partial<Record<FinishedClass, Pick<Exchange, 'failure' | 'status' | 'body'>>> = {
    ok: reply({}),
    check_failed: reply({ response: 'spoilt' }),
    contract_broken: reply({ sessionId: 5, response: 5 }),
    malformed: { failure: undefined, status: 200, body: '<p>' },
    bad_request: refused(400, 'no'),
    unauthorized: refused(401, 'wrong key'),
    forbidden: refused(403, 'wrong kind of key'),
    not_found: refused(404, 'no such session'),
    rate_limited: refused(429, 'slower'),
    provider_rate_limited: refused(429, 'Chat provider error'),
    internal_error: refused(500, 'Internal server error'),
    server_error: refused(503, 'busy'),
    provider_error: refused(503, 'Chat provider error'),
    http_other: refused(302, 'elsewhere'),
    connect_failed: failed('connect_failed'),
    connection_lost: { failure: 'connection_lost', status: hasHead ? 200 : 0, body: '' },
    timed_out: failed('timed_out'),
  };
  const content = contents[outcome];
  if (content === undefined) throw new Error(`the service has no answer for ${outcome}`);
  return content;
}

const whole = {
  response: 'Hi.',
  isSession: true,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
