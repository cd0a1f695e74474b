import { messageOf } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { instant, later, ms, type Clock, type Instant } from '../../base/time.ts';
import type { Access } from '../../plan/resolve-auth.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';
import { TokenFailure, type ObtainToken, type Token } from './token.ts';

interface KeeperParts {
  obtain: ObtainToken;
  clock: Clock;
  /** For the jitter. */
  random: Random;
  authorize: (credential: string) => HeaderFields;
  /** Called with every token before it is used. */
  keepSecret: (token: string) => void;
  redact: (text: string) => string;
}

/** Share of a token's life after which it is renewed; the jitter keeps many processes from renewing at once. */
const renewedAt = 0.8;
const jitter = 0.1;
/** First wait after a failure, doubled each time up to the maximum. */
const firstWaitMs = 100;
const maxWaitMs = 10_000;
/** Maximum time that refused requests wait for a new token. */
const patienceMs = 30_000;
/** Minimum wait if the source still returns the same token. */
const sameAgainMs = 1000;

/**
 * Keeps an expiring token, and renews it early, once for all users. While it cannot be renewed, requests continue with the
 * old one; refused ones wait for the next one, together, for a limited time.
 *
 *     obtained ------------- renewed early (80 %) --- end        refused: wait for the renewal that is in progress
 *                                 '-- failed: again after 0.1 s, 0.2 s, ... 10 s, as long as it takes
 */
export class TokenKeeper implements Access {
  readonly counts = { fetched: 0, failed: 0, retried: 0 };
  readonly lost: Promise<string>;
  readonly #parts: KeeperParts;
  readonly #followers = new Set<(fields: HeaderFields) => void>();
  #lose: (why: string) => void = () => undefined;
  #token: Token;
  /** Instant from which requests use the token. */
  #since = instant(-Infinity);
  /** Wall-clock time from which a refusal may be due to an expired token. */
  #endsSoonAt = Infinity;
  #cancelRenewal: () => void = () => undefined;
  #isRenewing = false;
  #cancelPatience: (() => void) | undefined;
  #waiting: ((isRenewed: boolean) => void)[] = [];
  #why = '';
  readonly #closed = new AbortController();

  /** Obtains the first token. Rejects with `TokenFailure`. */
  static async open(parts: KeeperParts): Promise<TokenKeeper> {
    const token = await parts.obtain(new AbortController().signal);
    requireLife(token, parts.clock);
    return new TokenKeeper(parts, token);
  }

  constructor(parts: KeeperParts, token: Token) {
    this.#parts = parts;
    this.#token = token;
    this.lost = new Promise((resolve) => (this.#lose = resolve));
    this.counts.fetched++;
    this.#use(token);
  }

  get credential(): string {
    return this.#token.value;
  }

  follow(renewed: (fields: HeaderFields) => void): () => void {
    renewed(this.#parts.authorize(this.credential));
    this.#followers.add(renewed);
    return () => this.#followers.delete(renewed);
  }

  mayHaveEnded(sentAt: Instant): boolean {
    if (this.#closed.signal.aborted) return false;
    const { endsAt } = this.#token;
    return sentAt < this.#since || endsAt === undefined || this.#parts.clock.wallNow() >= this.#endsSoonAt;
  }

  renewedSince(sentAt: Instant): Promise<boolean> {
    if (sentAt < this.#since) return Promise.resolve(true);
    if (!this.mayHaveEnded(sentAt)) return Promise.resolve(false);
    const { clock } = this.#parts;
    this.#cancelPatience ??= clock.wakeAt(later(clock.now(), ms(patienceMs)), () => this.#giveUp());
    const renewed = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    if (!this.#isRenewing) this.#renewNow();
    return renewed;
  }

  retried(): void {
    this.counts.retried++;
  }

  close(): void {
    this.#closed.abort();
    this.#cancelRenewal();
    this.#release(false);
  }

  #renewNow(): void {
    this.#cancelRenewal();
    this.#isRenewing = true;
    void this.#renew();
  }

  /** Retries until it succeeds or the keeper is closed. */
  async #renew(): Promise<void> {
    const { signal } = this.#closed;
    const isClosed = (): boolean => signal.aborted;
    for (let failures = 0; !isClosed(); failures++) {
      try {
        const token = await this.#parts.obtain(signal);
        requireLife(token, this.#parts.clock);
        if (!isClosed()) this.#take(token);
        return;
      } catch (thrown) {
        if (isClosed()) return;
        this.counts.failed++;
        this.#why = this.#parts.redact(messageOf(thrown));
      }
      await this.#pause(Math.min(maxWaitMs, firstWaitMs * 2 ** failures));
    }
  }

  #pause(longMs: number): Promise<void> {
    const { clock, random } = this.#parts;
    const waitMs = ms(longMs * (0.5 + random() / 2));
    return new Promise((resolve) => {
      const cancel = clock.wakeAt(later(clock.now(), waitMs), resolve);
      this.#cancelRenewal = () => {
        cancel();
        resolve();
      };
    });
  }

  #take(token: Token): void {
    // The source may still return the old one: its cache does not know that it was refused.
    const isAnother = token.value !== this.#token.value;
    this.#token = token;
    this.#isRenewing = false;
    this.#use(token, isAnother ? 0 : sameAgainMs);
    if (isAnother) {
      this.counts.fetched++;
      this.#since = this.#parts.clock.now();
      const fields = this.#parts.authorize(token.value);
      for (const renewed of this.#followers) renewed(fields);
    }
    this.#release(isAnother);
  }

  #use(token: Token, minWaitMs = 0): void {
    const { clock, random, keepSecret } = this.#parts;
    keepSecret(token.value);
    this.#endsSoonAt = Infinity;
    if (token.endsAt === undefined) return;
    const lifeMs = token.endsAt - clock.wallNow();
    const waitMs = Math.max(minWaitMs, lifeMs * (renewedAt + jitter * (2 * random() - 1)));
    this.#endsSoonAt = clock.wallNow() + waitMs;
    this.#cancelRenewal = clock.wakeAt(later(clock.now(), ms(waitMs)), () => this.#renewNow());
  }

  #release(isRenewed: boolean): void {
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(isRenewed);
  }

  #giveUp(): void {
    this.#cancelPatience = undefined;
    const why = this.#why === '' ? 'it is still being obtained' : this.#why;
    this.#lose(`the token has expired, and none could be obtained for ${String(patienceMs / 1000)} s: ${why}`);
  }
}

function requireLife({ endsAt }: Token, clock: Clock): void {
  if (endsAt === undefined || endsAt > clock.wallNow()) return;
  const end = new Date(endsAt);
  const at = Number.isNaN(end.getTime()) ? String(endsAt) : end.toISOString();
  throw new TokenFailure(`the token had already expired, at ${at}`);
}
