import { later, ms } from '../../src/base/time.ts';
import { defineProtocol } from '../../src/scenario/define-protocol.ts';
import type { Operation } from '../../src/protocol/protocol.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Send } from '../../src/session/send.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { wholeExchange } from './whole-exchange.ts';

const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
const own = { name: 'own', message: { path: '/talk', body: (said: object) => said }, reply: { text: 'answer' } };
const answer = () => ({ answer: 'Hi.' });
const response = () => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.' }] }],
});

/** An API as a scenario names it, and its replies. */
interface SpokenApi {
  target: NonNullable<Scenario['target']>;
  /** `undefined`: it creates no sessions. */
  created?: (nth: number) => object;
  replied: (sessionId: string) => object;
}

/** An API for each protocol, with and without the creation of sessions. */
export const spokenApis = {
  'chat-messaging': {
    target: {},
    created: (nth) => ({ success: true, data: { sessionId: `s-${String(nth)}` } }),
    replied: (sessionId) => ({
      success: true,
      data: { response: 'Hi.', chatId: 'c', sessionId, isSession: true, ...dates },
    }),
  },
  'openai-chat': {
    target: { protocol: 'openai-chat' },
    replied: () => ({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    }),
  },
  'anthropic-messages': {
    target: { protocol: 'anthropic-messages' },
    replied: () => ({
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  },
  'openai-responses': { target: { protocol: 'openai-responses' }, replied: response },
  'openai-responses with conversations': {
    target: { protocol: 'openai-responses', conversation: 'conversation' },
    created: (nth) => ({ id: `conv_${String(nth)}`, object: 'conversation' }),
    replied: response,
  },
  'defineProtocol without createSession': { target: { protocol: defineProtocol(own) }, replied: answer },
  'defineProtocol with createSession': {
    target: { protocol: defineProtocol({ ...own, createSession: { path: '/open', sessionId: 'id' } }) },
    created: (nth) => ({ id: `own-${String(nth)}` }),
    replied: answer,
  },
} satisfies Record<string, SpokenApi> as Record<string, SpokenApi>;

/** The scenario's target: the address is never called in virtual time. */
export function targetOf({ target }: SpokenApi): NonNullable<Scenario['target']> {
  return { baseUrl: 'http://127.0.0.1:9', agentId: 'a', apiKey: 'k', ...target };
}

/** A request as the service saw it. */
export interface LedgerEntry {
  operation: Operation;
  sentAt: number;
  endedAt: number;
}

/** Answers after a time that depends only on the order of requests; every eleventh message and creation fails once. */
export function apiService({ created, replied }: SpokenApi, clock: VirtualClock, ledger: LedgerEntry[]): Send {
  return ({ route: { operation }, body }, sentAt) => {
    const nth = ledger.length + 1;
    const endedAt = later(sentAt, ms(operation === 'create' ? 40 + (nth % 7) : 150 + ((nth * 37) % 400)));
    ledger.push({ operation, sentAt, endedAt });
    const hasFailed = nth % 11 === 0;
    const { sessionId = '' } = JSON.parse(body) as { sessionId?: string };
    const content = operation === 'create' ? created?.(nth) : replied(sessionId);
    const exchange = wholeExchange({
      sentAt,
      endedAt,
      status: hasFailed ? 500 : operation === 'create' ? 201 : 200,
      body: JSON.stringify(hasFailed ? { error: 'Internal server error' } : content),
    });
    return new Promise((resolve) => void clock.wakeAt(endedAt, () => resolve(exchange)));
  };
}
