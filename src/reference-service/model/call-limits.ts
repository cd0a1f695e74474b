import { RecentMap } from '../../base/recent-map.ts';
import { ms, type Clock, type Instant } from '../../base/time.ts';
import type { ModelApiName } from '../../protocol/model-call.ts';
import type { ResolvedModel } from '../../scenario/model-options.ts';
import { retryAfterOf, TokenBucket } from '../exchange/rate-limit.ts';

const minuteMs = 60_000;
const maxKeys = 10_000;

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

/** The allowance of one key for requests or for tokens, which refills evenly. */
interface Allowance {
  name: 'requests' | 'tokens';
  perMinute: number;
  bucket: TokenBucket;
}

/** Limits of requests and tokens per minute, for each key. */
export class CallLimits {
  readonly #rates: readonly Pick<Allowance, 'name' | 'perMinute'>[];
  readonly #clock: Clock;
  readonly #keys = new RecentMap<string, readonly Allowance[]>(maxKeys);

  constructor({ requestsPerMinute, tokensPerMinute }: ResolvedModel['limits'], clock: Clock) {
    this.#rates = [
      ...(requestsPerMinute === undefined ? [] : [{ name: 'requests' as const, perMinute: requestsPerMinute }]),
      ...(tokensPerMinute === undefined ? [] : [{ name: 'tokens' as const, perMinute: tokensPerMinute }]),
    ];
    this.#clock = clock;
  }

  admit(key: string, api: ModelApiName, inputTokens: number): Admission {
    if (this.#rates.length === 0) return unlimited;
    const now = this.#clock.now();
    const allowances = this.#keys.get(key) ?? this.#rates.map((rate) => allowanceOf(rate, now));
    this.#keys.set(key, allowances);
    const amounts = { requests: 1, tokens: inputTokens };
    const waits = allowances.map(({ name, bucket }) => bucket.waitFor(amounts[name], now));
    const wait = ms(Math.max(...waits));
    if (wait === 0) for (const { name, bucket } of allowances) bucket.spend(amounts[name]);
    const headers = allowances.flatMap((allowance) => headersOf(api, allowance, this.#clock.wallNow()));
    const spend = (tokens: number): void => allowances.find(({ name }) => name === 'tokens')?.bucket.spend(tokens);
    const short = allowances[waits.indexOf(wait)];
    if (wait === 0 || short === undefined) return { refusal: undefined, headers, spend };
    const { name, perMinute } = short;
    return {
      refusal: `Rate limit reached on ${name} per min: Limit ${String(perMinute)}, Requested ${String(amounts[name])}. Please try again in ${spanText(wait)}.`,
      headers: [...headers, 'retry-after', retryAfterOf(wait)],
      spend,
    };
  }
}

const allowanceOf = ({ name, perMinute }: Pick<Allowance, 'name' | 'perMinute'>, now: Instant): Allowance => ({
  name,
  perMinute,
  bucket: new TokenBucket({ perSecond: perMinute / 60, burst: perMinute }, now),
});

/** Returns the headers of an allowance as the real service names them. */
function headersOf(api: ModelApiName, { name, perMinute, bucket }: Allowance, wallMs: number): string[] {
  const isAnthropic = api === 'messages';
  const fullMs = Math.ceil((wallMs + bucket.untilFull) / 1000) * 1000;
  const reset = isAnthropic ? new Date(fullMs).toISOString().replace('.000Z', 'Z') : spanText(bucket.untilFull);
  const parts = { limit: String(perMinute), remaining: String(bucket.remaining), reset };
  return Object.entries(parts).flatMap(([part, value]) => [
    isAnthropic ? `anthropic-ratelimit-${name}-${part}` : `x-ratelimit-${part}-${name}`,
    value,
  ]);
}

/** Formats a time as OpenAI's headers do: `20ms`, `1.5s`, `2m10s`. */
function spanText(lengthMs: number): string {
  const whole = Math.ceil(lengthMs);
  if (whole < 1000) return `${String(whole)}ms`;
  const minutes = Math.floor(whole / minuteMs);
  const seconds = `${String((whole % minuteMs) / 1000)}s`;
  return minutes === 0 ? seconds : `${String(minutes)}m${seconds}`;
}
