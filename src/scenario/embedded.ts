import { z } from 'zod';
import type { Ms } from '../base/time.ts';
import { closedObject } from './closed-object.ts';
import { durationLaw, type DurationDistribution, type SettledDistribution } from './duration-distribution.ts';
import { duration, type Duration } from './duration.ts';
import { faultOptions, type FaultOptions, type SettledFault } from './embedded-faults.ts';
import { sabotageOptions, type SabotageOptions, type SettledSabotage } from './embedded-sabotage.ts';
import { defaulted } from './option.ts';

/** How the reference service behaves: under `embedded` of a scenario, and in the file of `chat-load serve --config`. */
export interface EmbeddedOptions {
  /** How long the scripted agent takes to reply. Default `'0ms'`. */
  latency?: DurationDistribution;
  /** Replies in progress at once; others queue in order of arrival, so that the service saturates like a real one. Default none. */
  capacity?: number | null;
  /** What goes wrong, and when. Default `[]`. */
  faults?: readonly FaultOptions[];
  /** What is wrong in replies that look right, and when. Default `[]`. */
  sabotage?: readonly SabotageOptions[];
  /** A token bucket per key; beyond it 429 with the matching `Retry-After`. Default none. */
  rateLimit?: {
    /** Exchanges a second. Required. */
    perSecond: number;
    /** Exchanges at once after a quiet time. Default: as many as in a second, at least 1. */
    burst?: number;
  } | null;
  /** The most sessions remembered; beyond it the one idle longest is forgotten. Default `50000` sessions. */
  maxSessions?: number;
  /** A session idle for this long is forgotten. Default `'1h'`. */
  maxIdle?: Duration;
  /** The most turns remembered per session; beyond it the oldest except the first are forgotten. Default `1000` turns. */
  maxTurnsPerSession?: number;
  /** The most characters of conversation remembered in total; beyond it the session idle longest is forgotten. Default `100000000` characters. */
  maxStoredCharacters?: number;
  /** Picks latencies and where faults and sabotage apply: the same seed gives the same ones in the same order. Default `1`. */
  seed?: number;
  /** The `cost` of a reply. Default `0.002`. */
  costPerTurn?: number;
  /** The number of latest turns of the conversation that a reply carries. Default `20` turns. */
  conversationTurns?: number;
  /** The agents that exist; scenarios talk to the first. Default `[{ id: 'agent-support' }, { id: 'agent-chat-off', chat: false }, { id: 'agent-elsewhere', account: 'elsewhere' }]`. */
  agents?: readonly AgentOptions[];
  /** The API keys that exist; scenarios use the first. Default: built in. */
  keys?: readonly KeyOptions[];
}

interface AgentOptions {
  /** Identifier of the agent. */
  id: string;
  /** The account that owns it. Default `'main'`. */
  account?: string;
  /** Whether chat is enabled. Default `true`. */
  chat?: boolean;
  /**
   * The agent's instructions; `{{name}}` is a variable, whose value every message must provide. Default: a friendly
   * support agent that needs `customerName` and `orderNumber`.
   */
  instructions?: string;
}

interface KeyOptions {
  /** The API key, as clients send it. */
  key: string;
  /** The account it belongs to. Default `'main'`. */
  account?: string;
  /** Only a `developer` key may use the chat API: any other kind is the wrong type, 403. Default `'developer'`. */
  kind?: 'developer' | 'widget';
}

/** The options as read: JSON-safe, lengths of time in milliseconds, every default filled in. */
export interface SettledEmbedded {
  latency: SettledDistribution;
  /** `null`: no bound. */
  capacity: number | null;
  faults: SettledFault[];
  sabotage: SettledSabotage[];
  /** `null`: no limit. */
  rateLimit: { perSecond: number; burst: number } | null;
  maxSessions: number;
  maxIdle: Ms;
  maxTurnsPerSession: number;
  maxStoredCharacters: number;
  seed: number;
  costPerTurn: number;
  conversationTurns: number;
  agents: Required<AgentOptions>[];
  keys: Required<KeyOptions>[];
}

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

const account = z.string().min(1).prefault('main');
const agent = closedObject({
  id: z.string().min(1),
  account,
  chat: z.boolean().prefault(true),
  instructions: z.string().prefault(embeddedDefaults.instructions),
});
const key = closedObject({
  key: z.string().regex(/^[\x21-\x7e]+$/, 'a key is made of visible ASCII characters without spaces'),
  account,
  kind: z.enum(['developer', 'widget']).prefault('developer'),
});

const distinct = <Item>(name: (item: Item) => string, message: string) =>
  [(items: readonly Item[]): boolean => new Set(items.map(name)).size === items.length, message] as const;

const rateLimit = closedObject({ perSecond: z.number().gt(0), burst: z.number().min(1).optional() }).transform(
  ({ perSecond, burst }) => ({ perSecond, burst: burst ?? Math.max(1, perSecond) }),
);

/** The fields with their notes, as a part of the option table. */
export const embeddedShape = {
  latency: defaulted(durationLaw, {
    group: 'target',
    meaning: 'How long the scripted agent takes to reply.',
    default: '0ms',
  }),
  capacity: defaulted(z.int().min(1).nullable(), {
    group: 'target',
    meaning:
      'Replies in progress at once; others queue in order of arrival, so that the service saturates like a real one.',
    default: null,
    unit: 'replies',
  }),
  faults: defaulted(z.array(faultOptions), {
    group: 'target',
    meaning: 'What goes wrong, and when.',
    default: [],
  }),
  sabotage: defaulted(z.array(sabotageOptions), {
    group: 'target',
    meaning: 'What is wrong in replies that look right, and when.',
    default: [],
  }),
  rateLimit: defaulted(rateLimit.nullable(), {
    group: 'target',
    meaning: 'A token bucket per key; beyond it 429 with the matching `Retry-After`.',
    default: null,
  }),
  maxSessions: defaulted(z.int().min(1), {
    group: 'target',
    meaning: 'The most sessions remembered; beyond it the one idle longest is forgotten.',
    default: 50_000,
    unit: 'sessions',
  }),
  maxIdle: defaulted(duration, {
    group: 'target',
    meaning: 'A session idle for this long is forgotten.',
    default: '1h',
  }),
  maxTurnsPerSession: defaulted(z.int().min(2), {
    group: 'target',
    meaning: 'The most turns remembered per session; beyond it the oldest except the first are forgotten.',
    default: 1000,
    unit: 'turns',
  }),
  maxStoredCharacters: defaulted(z.int().min(1000), {
    group: 'target',
    meaning:
      'The most characters of conversation remembered in total; beyond it the session idle longest is forgotten.',
    default: 100e6,
    unit: 'characters',
  }),
  seed: defaulted(z.int().min(0), {
    group: 'target',
    meaning:
      'Picks latencies and where faults and sabotage apply: the same seed gives the same ones in the same order.',
    default: 1,
  }),
  costPerTurn: defaulted(z.number().min(0), {
    group: 'target',
    meaning: 'The `cost` of a reply.',
    default: 0.002,
  }),
  conversationTurns: defaulted(z.int().min(0).max(1000), {
    group: 'target',
    meaning: 'The number of latest turns of the conversation that a reply carries.',
    default: 20,
    unit: 'turns',
  }),
  agents: defaulted(
    z
      .array(agent)
      .min(1)
      .refine(...distinct(({ id }: AgentOptions) => id, 'agent ids must differ')),
    {
      group: 'target',
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
      .refine(...distinct(({ key }: KeyOptions) => key, 'keys must differ')),
    {
      group: 'target',
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
export const embeddedOptions = z
  .custom<EmbeddedOptions>()
  .transform((value): unknown => value)
  .pipe(closedObject(embeddedShape))
  .transform((read): SettledEmbedded => read);
