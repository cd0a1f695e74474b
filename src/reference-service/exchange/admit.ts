import { jsonObjectIn } from '../../base/json.ts';
import { failures, type Delivery, failure } from '../http/delivery.ts';
import type { Incoming } from '../http/receive-body.ts';
import type { ServerExchange } from './server-exchange.ts';
import type { SettledEmbedded } from '../../scenario/embedded.ts';
import { compileInstructions, type Briefing, type VariableValues } from '../conversation/instructions.ts';
import { between, ms, type Instant, type Ms } from '../../base/time.ts';

/** A caller with the JSON object of its request. */
export interface Admitted {
  caller: Caller;
  body: Record<string, unknown>;
}

/** Checks, in this order: the key, its rate, the media type, the body. */
export function admit({ context, arrivedAt }: ServerExchange, incoming: Incoming): Admitted | Delivery {
  const caller = context.directory.caller(incoming.authorization);
  if (isRefused(caller)) return caller;
  const tooMany = context.limits.refuse(caller.key, arrivedAt);
  if (tooMany !== undefined) return tooMany;
  if (incoming.contentType?.startsWith('application/json') !== true) return failures.wrongMediaType;
  if (incoming.body === undefined) return failures.tooLarge;
  const body = jsonObjectIn(incoming.body);
  return body === undefined ? failures.notJson : { caller, body };
}

/** Reports whether a check ended with a refusal. */
export function isRefused(checked: object): checked is Delivery {
  return 'outcome' in checked;
}

export interface Agent {
  readonly id: string;
  readonly account: string;
  readonly chat: boolean;
  brief(values: VariableValues): Briefing;
}

export interface Caller {
  readonly key: string;
  readonly account: string;
}

/** The known callers and agents. */
export class Directory {
  readonly #callers = new Map<string, Caller | undefined>();
  readonly #agents = new Map<string, Agent>();

  constructor({ agents, keys }: Pick<SettledEmbedded, 'agents' | 'keys'>) {
    for (const { key, account, kind } of keys)
      this.#callers.set(`Bearer ${key}`, kind === 'developer' ? { key, account } : undefined);
    for (const { id, account, chat, instructions } of agents)
      this.#agents.set(id, { id, account, chat, brief: compileInstructions(instructions) });
  }

  /** Returns the caller with this `Authorization` header, or the refusal. */
  caller(authorization: string | undefined): Caller | Delivery {
    const caller = this.#callers.get(authorization ?? '');
    if (caller !== undefined) return caller;
    return this.#callers.has(authorization ?? '') ? failures.wrongKind : failures.wrongKey;
  }

  /** Returns the agents on the caller's account that have chat enabled. */
  agentsOf(caller: Caller): Agent[] {
    return [...this.#agents.values()].filter(({ account, chat }) => account === caller.account && chat);
  }

  /** Returns an agent on the caller's account that has chat enabled, or the refusal. */
  agent(id: string, caller: Caller): Agent | Delivery {
    const agent = this.#agents.get(id);
    if (agent?.account !== caller.account) return failures.agentNotFound;
    return agent.chat ? agent : failures.chatDisabled;
  }
}

export interface Rate {
  perSecond: number;
  /** Maximum and initial number of tokens of a bucket. */
  burst: number;
}

/** A token bucket: it refills evenly, and each exchange takes one token. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: Instant;

  constructor(rate: Rate, now: Instant) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes a token; returns 0, or the wait until one is available. */
  take(now: Instant): Ms {
    const { perSecond, burst } = this.#rate;
    this.#tokens = Math.min(burst, this.#tokens + (between(this.#filledAt, now) / 1000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return ms(((1 - this.#tokens) / perSecond) * 1000);
    this.#tokens--;
    return ms(0);
  }
}

/** Returns the `Retry-After` of a wait: whole seconds, rounded up, so that a token is available after it. */
export function retryAfterOf(wait: Ms): string {
  return String(Math.ceil(wait / 1000));
}

/** A token bucket for every key. */
export class KeyLimits {
  readonly #rate: Rate | null;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(rate: Rate | null) {
    this.#rate = rate;
  }

  /** Returns the refusal of a key that has used up its tokens; `undefined`: allowed. */
  refuse(key: string, now: Instant): Delivery | undefined {
    if (this.#rate === null) return undefined;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) this.#buckets.set(key, (bucket = new TokenBucket(this.#rate, now)));
    const wait = bucket.take(now);
    return wait === 0 ? undefined : failure(429, 'Too many requests', retryAfterOf(wait));
  }
}
