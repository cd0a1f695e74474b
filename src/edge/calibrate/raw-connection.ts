import type autocannon from 'autocannon';
import type { HeaderFields, Verdict } from '../../protocol/protocol.ts';

/** A turn of a prepared session: its request, and the check of its response. */
export interface RawTurn {
  method: string;
  /** Path and query. */
  path: string;
  /** Fields with names in lower case; they replace those of the load. */
  headers: HeaderFields;
  body: string;
  read(status: number, body: string): Verdict;
}

/** A created session, with its turns, which are used cyclically. */
export interface RawSession {
  turns: readonly RawTurn[];
}

/** autocannon's client, with a method that its types omit: it closes the connection. */
export type RawClient = autocannon.Client & { destroy(): void };

/** One connection of autocannon with its session. */
export class RawConnection {
  readonly pace = new ConnectionPace(performance.now());
  /** Number of turns that autocannon began: it requests one body for each, also after it reconnected silently. */
  sent = 0;
  readonly client: RawClient;
  readonly #turns: readonly RawTurn[];
  readonly #answered: (verdict: Verdict) => void;
  readonly #sent: () => void;

  constructor(client: RawClient, session: RawSession, on: { sent: () => void; answered: (verdict: Verdict) => void }) {
    this.client = client;
    this.#turns = session.turns;
    this.#answered = on.answered;
    this.#sent = on.sent;
  }

  /** Passes the session to autocannon, whose contexts are unusable here: it creates new ones for every turn. */
  attach(): void {
    this.client.setRequests([
      {
        setupRequest: (request) => {
          const { method, path, headers, body } = this.#turnAt(this.sent++);
          this.#sent();
          return { ...request, method, path, body, headers: { ...request.headers, ...headers } } as typeof request;
        },
        onResponse: (status, body) => this.#judge(status, body),
      },
    ]);
  }

  /** Number of turns that were sent and never answered, except a turn that is still in progress. */
  get lost(): number {
    return Math.max(0, this.sent - this.pace.answered - 1);
  }

  #judge(status: number, body: string): void {
    const verdict = this.#turnAt(this.sent - 1).read(status, body);
    this.pace.answer(performance.now(), verdict.outcome === 'ok');
    this.#answered(verdict);
  }

  #turnAt(index: number): RawTurn {
    const turn = this.#turns[index % this.#turns.length];
    if (turn === undefined) throw new Error('a session without turns was loaded');
    return turn;
  }
}

/** Rate of answers on one connection in closed load: the next turn is sent after each answer. */
export class ConnectionPace {
  answered = 0;
  ok = 0;
  readonly #startedAt: number;
  #firstAt = 0;
  #lastAt = 0;
  #isFirstOk = false;

  /** Instants are milliseconds of one monotonic clock. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  answer(at: number, isOk: boolean): void {
    if (this.answered === 0) {
      this.#firstAt = at;
      this.#isFirstOk = isOk;
    }
    this.answered++;
    if (isOk) this.ok++;
    this.#lastAt = at;
  }

  /**
   * Returns ok answers per second, from answer to answer: neither connecting before the first answer nor the time after
   * the last one counts, because these would make slow targets look slower in shorter steps. A final wait longer than
   * two answers usually take is a stall and counts.
   */
  perSecond(endedAt: number): number {
    if (this.answered === 0) return 0;
    const isSingle = this.answered === 1;
    const from = isSingle ? this.#startedAt : this.#firstAt;
    const gapMs = (this.#lastAt - from) / (isSingle ? 1 : this.answered - 1);
    const until = endedAt - this.#lastAt > 2 * gapMs ? endedAt : this.#lastAt;
    const counted = this.ok - (!isSingle && this.#isFirstOk ? 1 : 0);
    return (counted * 1000) / Math.max(until - from, minMs);
  }
}

const minMs = 0.001;
