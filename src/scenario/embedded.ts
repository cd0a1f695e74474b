import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { durationDistribution } from './duration-distribution.ts';
import { duration } from './duration.ts';
import { faultOptions } from './embedded-faults.ts';
import { sabotageOptions } from './embedded-sabotage.ts';
import { defaulted, noted, option, type Written } from './option.ts';

/** The default agents and keys of the service. The keys are not secret: they open nothing real. */
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
  account: defaulted(account, { meaning: 'The account that owns it.', default: 'main' }),
  chat: defaulted(z.boolean(), { meaning: 'Whether chat is enabled.', default: true }),
  instructions: defaulted(z.string(), {
    meaning: "The agent's instructions; `{{name}}` is a variable, whose value every message must provide.",
    default: embeddedDefaults.instructions,
  }),
};
const agent = closedObject(agentShape);

export const keyShape = {
  key: noted(z.string().regex(/^[\x21-\x7e]+$/, 'a key is made of visible ASCII characters without spaces'), {
    meaning: 'The API key, as clients send it.',
    limits: 'visible ASCII characters',
    required: true,
  }),
  account: defaulted(account, { meaning: 'The account it belongs to.', default: 'main' }),
  kind: defaulted(z.enum(['developer', 'widget']), {
    meaning: 'Only a `developer` key may use the chat API: any other kind is the wrong type, 403.',
    default: 'developer',
  }),
};
const key = closedObject(keyShape);

const distinct = <Item>(name: (item: Item) => string, message: string) =>
  [(items: readonly Item[]): boolean => new Set(items.map(name)).size === items.length, message] as const;

export const rateLimitShape = {
  perSecond: noted(z.number().gt(0), { meaning: 'Exchanges a second.', required: true }),
  burst: option(z.number().min(1), {
    meaning: 'Exchanges at once after a quiet time.',
    without: 'as many as in a second, at least 1',
  }),
};
const rateLimit = closedObject(rateLimitShape).transform(({ perSecond, burst }) => ({
  perSecond,
  burst: burst ?? Math.max(1, perSecond),
}));

/** How replies in pieces are given. */
export const streamShape = {
  firstToken: option(durationDistribution, {
    meaning: 'The time from the request to the first piece of a streamed reply, in place of `latency`.',
    without: '`embedded.latency`',
  }),
  gap: defaulted(durationDistribution, { meaning: 'The time between two pieces.', default: '0ms' }),
  events: defaulted(z.int().min(1).max(1_000_000).nullable(), {
    meaning:
      'The exact number of pieces of every reply of the APIs that stream, whole ones too: filler words follow a short text, and the last piece takes the rest of a long one.',
    default: null,
    unit: 'pieces',
  }),
  reasoning: defaulted(z.int().min(0).max(1_000_000), {
    meaning: 'The number of pieces of reasoning before the text.',
    default: 0,
    unit: 'pieces',
  }),
  flushEvery: defaulted(z.int().min(1), {
    meaning: 'The number of events that go out in one write, as through a proxy that gathers them.',
    default: 1,
    unit: 'events',
  }),
  onDisconnect: defaulted(z.enum(['stop', 'continue']), {
    meaning:
      'What becomes of a reply whose client leaves before its end: the agent stops, or goes on to the end for nobody.',
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
    meaning: 'How long the scripted agent takes to reply.',
    default: '0ms',
  }),
  capacity: defaulted(z.int().min(1).nullable(), {
    meaning:
      'Replies in progress at once; others queue in order of arrival, so that the service saturates like a real one.',
    default: null,
    unit: 'replies',
  }),
  stream: defaulted(streamOptions, {
    type: 'EmbeddedStreamOptions',
    meaning: 'How replies in pieces are given.',
    default: {},
  }),
  faults: defaulted(z.array(faultOptions), {
    meaning: 'What goes wrong, and when.',
    type: 'readonly FaultOptions[]',
    default: [],
  }),
  sabotage: defaulted(z.array(sabotageOptions), {
    meaning: 'What is wrong in replies that look right, and when.',
    type: 'readonly SabotageOptions[]',
    default: [],
  }),
  rateLimit: defaulted(rateLimit.nullable(), {
    type: 'RateLimitOptions | null',
    meaning: 'A token bucket per key; beyond it 429 with the matching `Retry-After`.',
    default: null,
  }),
  maxSessions: defaulted(z.int().min(1), {
    meaning: 'The most sessions remembered; beyond it the one idle longest is forgotten.',
    default: 50_000,
    unit: 'sessions',
  }),
  maxIdle: defaulted(duration, {
    meaning: 'A session idle for this long is forgotten.',
    default: '1h',
  }),
  maxTurnsPerSession: defaulted(z.int().min(2), {
    meaning: 'The most turns remembered per session; beyond it the oldest except the first are forgotten.',
    default: 1000,
    unit: 'turns',
  }),
  maxStoredCharacters: defaulted(z.int().min(1000), {
    meaning:
      'The most characters of conversation remembered in total; beyond it the session idle longest is forgotten.',
    default: 100e6,
    unit: 'characters',
  }),
  seed: defaulted(z.int().min(0), {
    meaning:
      'Picks latencies and where faults and sabotage apply: the same seed gives the same ones in the same order.',
    default: 1,
  }),
  costPerTurn: defaulted(z.number().min(0), {
    meaning: 'The `cost` of a reply.',
    default: 0.002,
  }),
  conversationTurns: defaulted(z.int().min(0).max(1000), {
    meaning: 'The number of latest turns of the conversation that a reply carries.',
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
      meaning: 'The agents that exist; scenarios talk to the first.',
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
      meaning: 'The API keys that exist; scenarios use the first.',
      secret: true,
      default: [
        { key: embeddedDefaults.apiKey },
        { key: embeddedDefaults.wrongTypeApiKey, kind: 'widget' },
        { key: embeddedDefaults.elsewhereApiKey, account: 'elsewhere' },
      ],
    },
  ),
};

/** The schema of `embedded`: takes what an author writes, gives `SettledEmbedded`. */
export const embeddedOptions = closedObject(embeddedShape);
export type EmbeddedOptions = Written<typeof embeddedShape>;

/** The options as read: JSON-safe, lengths of time in milliseconds, every default filled in; `null` is no bound. */
export type SettledEmbedded = z.output<typeof embeddedOptions>;
