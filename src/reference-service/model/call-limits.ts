import { RecentMap } from '../../base/recent-map.ts';
import { between, ms, type Clock, type Instant } from '../../base/time.ts';
import type { ModelApiName } from '../../protocol/model-call.ts';
import type { SettledModel } from '../../scenario/model-options.ts';
import { retryAfterOf } from '../exchange/rate-limit.ts';

const minuteMs = 60_000;
const maxKeys = 10_000;

/** An allowance per minute that refills evenly. */
class Allowance {
  readonly perMinute: number;
  #left: number;
  #at: Instant;

  constructor(perMinute: number, now: Instant) {
    this.perMinute = perMinute;
    this.#left = perMinute;
    this.#at = now;
  }

  /** Returns the wait until this amount is available, in milliseconds. */
  waitFor(amount: number, now: Instant): number {
    this.#left = Math.min(this.perMinute, this.#left + (between(this.#at, now) / minuteMs) * this.perMinute);
    this.#at = now;
    // Refilling accumulates rounding errors.
    const missing = amount - this.#left;
    return missing <= 1e-9 ? 0 : (missing / this.perMinute) * minuteMs;
  }

  take(amount: number): void {
    this.#left -= amount;
  }

  get remaining(): number {
    return Math.max(0, Math.floor(this.#left + 1e-9));
  }

  /** Time until it is full. */
  get resetMs(): number {
    return ((this.perMinute - this.#left) / this.perMinute) * minuteMs;
  }
}

type Name = 'requests' | 'tokens';
type Allowances = Readonly<Partial<Record<Name, Allowance>>>;

/** Decision on a call, with the headers that report it. */
export interface Admission {
  /** Message of the refusal; `undefined`: admitted. */
  refusal: string | undefined;
  /** Names and values in turn. */
  headers: readonly string[];
  /** Takes the tokens of the reply. */
  spend: (tokens: number) => void;
}

const unlimited: Admission = { refusal: undefined, headers: [], spend: () => undefined };

/** Limits of requests and tokens per minute, for each key. */
export class CallLimits {
  readonly #options: SettledModel['limits'];
  readonly #clock: Clock;
  readonly #keys = new RecentMap<string, Allowances>(maxKeys);

  constructor(options: SettledModel['limits'], clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  admit(key: string, api: ModelApiName, inputTokens: number): Admission {
    const { requestsPerMinute, tokensPerMinute } = this.#options;
    if (requestsPerMinute === undefined && tokensPerMinute === undefined) return unlimited;
    const now = this.#clock.now();
    let own = this.#keys.get(key);
    if (own === undefined) {
      own = {
        ...(requestsPerMinute !== undefined && { requests: new Allowance(requestsPerMinute, now) }),
        ...(tokensPerMinute !== undefined && { tokens: new Allowance(tokensPerMinute, now) }),
      };
      this.#keys.set(key, own);
    }
    const amounts = { requests: 1, tokens: inputTokens };
    const waits = { requests: own.requests?.waitFor(1, now) ?? 0, tokens: own.tokens?.waitFor(inputTokens, now) ?? 0 };
    const wait = Math.max(waits.requests, waits.tokens);
    if (wait === 0) for (const name of ['requests', 'tokens'] as const) own[name]?.take(amounts[name]);
    const headers = api === 'messages' ? this.#anthropicHeaders(own) : openaiHeaders(own);
    if (wait === 0) return { refusal: undefined, headers, spend: (tokens) => own.tokens?.take(tokens) };
    const name = waits.requests >= waits.tokens ? 'requests' : 'tokens';
    return {
      refusal: `Rate limit reached on ${name} per min: Limit ${String(own[name]?.perMinute)}, Requested ${String(amounts[name])}. Please try again in ${spanText(wait)}.`,
      headers: [...headers, 'retry-after', retryAfterOf(ms(wait))],
      spend: () => undefined,
    };
  }

  #anthropicHeaders(own: Allowances): string[] {
    return namesOf(own).flatMap(([name, { perMinute, remaining, resetMs }]) => [
      `anthropic-ratelimit-${name}-limit`,
      String(perMinute),
      `anthropic-ratelimit-${name}-remaining`,
      String(remaining),
      `anthropic-ratelimit-${name}-reset`,
      new Date(Math.ceil((this.#clock.wallNow() + resetMs) / 1000) * 1000).toISOString().replace('.000Z', 'Z'),
    ]);
  }
}

const openaiHeaders = (own: Allowances): string[] =>
  namesOf(own).flatMap(([name, { perMinute, remaining, resetMs }]) => [
    `x-ratelimit-limit-${name}`,
    String(perMinute),
    `x-ratelimit-remaining-${name}`,
    String(remaining),
    `x-ratelimit-reset-${name}`,
    spanText(resetMs),
  ]);

const namesOf = (own: Allowances): [string, Allowance][] => Object.entries(own);

/** Formats a time as OpenAI's headers do: `20ms`, `1.5s`, `2m10s`. */
function spanText(lengthMs: number): string {
  const whole = Math.ceil(lengthMs);
  if (whole < 1000) return `${String(whole)}ms`;
  const minutes = Math.floor(whole / minuteMs);
  const seconds = `${String((whole % minuteMs) / 1000)}s`;
  return minutes === 0 ? seconds : `${String(minutes)}m${seconds}`;
}
