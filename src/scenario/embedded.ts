import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { durationDistribution } from './duration-distribution.ts';
import { duration } from './duration.ts';
import { faultOptions } from './embedded-faults.ts';
import { sabotageOptions } from './embedded-sabotage.ts';
import { defaulted, noted, option, type Written } from './option.ts';

/** The default agents and keys of the service. The keys are not secret: they protect nothing. */
export const embeddedDefaults = {
  agentId: 'agent-support',
  apiKey: 'chat-load-embedded-key',
  chatOffAgentId: 'agent-chat-off',
  elsewhereAgentId: 'agent-elsewhere',
  elsewhereApiKey: 'chat-load-elsewhere-key',
  wrongTypeApiKey: 'chat-load-widget-key',
  instructions:
    'You are a friendly support agent. You are talking to {{customerName}} about order {{orderNumber}}. Answer briefly.',
} as const;

const account = z.string().min(1);
export const agentShape = {
  id: noted(z.string().min(1), { meaning: 'Identifier of the agent.', required: true }),
  account: defaulted(account, { meaning: 'Account that owns the agent.', default: 'main' }),
  chat: defaulted(z.boolean(), { meaning: 'True if chat is enabled.', default: true }),
  instructions: defaulted(z.string(), {
    meaning: "The agent's instructions; `{{name}}` is a variable that every message must define.",
    default: embeddedDefaults.instructions,
  }),
};
const agent = closedObject(agentShape);

export const keyShape = {
  key: noted(z.string().regex(/^[\x21-\x7e]+$/, 'a key is made of visible ASCII characters without spaces'), {
    meaning: 'API key, as clients send it.',
    limits: 'visible ASCII characters',
    required: true,
  }),
  account: defaulted(account, { meaning: 'Account that owns the key.', default: 'main' }),
  kind: defaulted(z.enum(['developer', 'widget']), {
    meaning: 'Kind of key. Only `developer` keys may use the chat API: any other kind is rejected with 403.',
    default: 'developer',
  }),
};
const key = closedObject(keyShape);

const distinct = <Item>(name: (item: Item) => string, message: string) =>
  [(items: readonly Item[]): boolean => new Set(items.map(name)).size === items.length, message] as const;

export const rateLimitShape = {
  perSecond: noted(z.number().gt(0), { meaning: 'Allowed exchanges per second.', required: true }),
  burst: option(z.number().min(1), {
    meaning: 'Exchanges allowed at once after an idle time.',
    without: "one second's exchanges, at least 1",
  }),
};
const rateLimit = closedObject(rateLimitShape).transform(({ perSecond, burst }) => ({
  perSecond,
  burst: burst ?? Math.max(1, perSecond),
}));

/** Timing and shape of streamed replies. */
export const streamShape = {
  firstToken: option(durationDistribution, {
    meaning: 'Time from the request to the first content event of a streamed reply; replaces `latency`.',
    without: '`embedded.latency`',
  }),
  gap: defaulted(durationDistribution, { meaning: 'Time between two content events.', default: '0ms' }),
  events: defaulted(z.int().min(1).max(1_000_000).nullable(), {
    meaning:
      'Exact number of content events per reply of the streaming APIs (non-streamed replies have the same text): short texts are padded with filler words, the last event contains the remainder of long ones.',
    default: null,
    unit: 'pieces',
  }),
  reasoning: defaulted(z.int().min(0).max(1_000_000), {
    meaning: 'Number of reasoning events before the text.',
    default: 0,
    unit: 'pieces',
  }),
  flushEvery: defaulted(z.int().min(1), {
    meaning: 'Number of events per write, as sent by a buffering proxy.',
    default: 1,
    unit: 'events',
  }),
  onDisconnect: defaulted(z.enum(['stop', 'continue']), {
    meaning: 'Behaviour when a client disconnects before the end of a reply: the agent stops, or continues to the end.',
    default: 'stop',
  }),
};

const streamOptions = closedObject(streamShape).transform(({ firstToken = null, ...read }) => ({
  firstToken,
  ...read,
}));

/** The fields with their notes, as a part of the option table. */
export const embeddedShape = {
  latency: defaulted(durationDistribution, {
    meaning: "The scripted agent's reply time.",
    default: '0ms',
  }),
  capacity: defaulted(z.int().min(1).nullable(), {
    meaning:
      'Number of replies in progress at once; further ones queue in order of arrival, so the service saturates like a real one.',
    default: null,
    unit: 'replies',
  }),
  stream: defaulted(streamOptions, {
    type: 'EmbeddedStreamOptions',
    meaning: 'Timing and shape of streamed replies.',
    default: {},
  }),
  faults: defaulted(z.array(faultOptions), {
    meaning: 'Injected faults: errors, stalls, broken connections and broken replies.',
    type: 'readonly FaultOptions[]',
    default: [],
  }),
  sabotage: defaulted(z.array(sabotageOptions), {
    meaning: 'Injected defects in replies that look valid.',
    type: 'readonly SabotageOptions[]',
    default: [],
  }),
  rateLimit: defaulted(rateLimit.nullable(), {
    type: 'RateLimitOptions | null',
    meaning: 'Token bucket per key; requests above it receive 429 with a matching `Retry-After`.',
    default: null,
  }),
  maxSessions: defaulted(z.int().min(1), {
    meaning: 'Maximum number of stored sessions; above it the longest-idle session is forgotten.',
    default: 50_000,
    unit: 'sessions',
  }),
  maxIdle: defaulted(duration, {
    meaning: 'Idle time after which a session is forgotten.',
    default: '1h',
  }),
  maxTurnsPerSession: defaulted(z.int().min(2), {
    meaning: 'Maximum number of stored turns per session; above it the oldest except the first are forgotten.',
    default: 1000,
    unit: 'turns',
  }),
  maxStoredCharacters: defaulted(z.int().min(1000), {
    meaning:
      'Maximum number of stored conversation characters in total; above it the longest-idle session is forgotten.',
    default: 100e6,
    unit: 'characters',
  }),
  maxSocketAge: defaulted(duration, {
    meaning:
      'Age of a WebSocket of `/v1/responses` from which it refuses requests with `websocket_connection_limit_reached`, and closes.',
    default: '1h',
  }),
  seed: defaulted(z.int().min(0), {
    meaning: 'Seed for latencies, faults and sabotage: the same seed produces the same ones in the same order.',
    default: 1,
  }),
  costPerTurn: defaulted(z.number().min(0), {
    meaning: "Value of a reply's `cost`.",
    default: 0.002,
  }),
  conversationTurns: defaulted(z.int().min(0).max(1000), {
    meaning: 'Number of latest turns of the conversation that a reply contains.',
    default: 20,
    unit: 'turns',
  }),
  agents: defaulted(
    z
      .array(agent)
      .min(1)
      .refine(...distinct(({ id }: { id: string }) => id, 'agent ids must differ')),
    {
      type: 'readonly AgentOptions[]',
      meaning: 'Agents of the service; scenarios use the first.',
      default: [
        { id: embeddedDefaults.agentId },
        { id: embeddedDefaults.chatOffAgentId, chat: false },
        { id: embeddedDefaults.elsewhereAgentId, account: 'elsewhere' },
      ],
    },
  ),
  keys: defaulted(
    z
      .array(key)
      .min(1)
      .refine(...distinct(({ key }: { key: string }) => key, 'keys must differ')),
    {
      type: 'readonly KeyOptions[]',
      meaning: 'API keys of the service; scenarios use the first.',
      secret: true,
      default: [
        { key: embeddedDefaults.apiKey },
        { key: embeddedDefaults.wrongTypeApiKey, kind: 'widget' },
        { key: embeddedDefaults.elsewhereApiKey, account: 'elsewhere' },
      ],
    },
  ),
};

/** The schema of `embedded`: accepts an author's options, returns `ResolvedEmbedded`. */
export const embeddedOptions = closedObject(embeddedShape);
export type EmbeddedOptions = Written<typeof embeddedShape>;

/** The options as read: JSON-safe, durations in milliseconds, with all defaults; `null` means unlimited. */
export type ResolvedEmbedded = z.output<typeof embeddedOptions>;
