import { later, ms } from '../../src/base/time.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import type { Send } from '../../src/session/send.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { wholeExchange } from './whole-exchange.ts';

/** A message as the service received it: its session, and its time. */
export interface Seen {
  text: string;
  sentAt: number;
}

/** Duration and outcome of a message. */
export interface Reply {
  afterMs: number;
  status?: number;
}

/** Returns a service whose creations take 5 ms, and whose messages take the time in their text. */
export function serviceByText(clock: VirtualClock, takes: (text: string) => Reply, seen: Seen[]): Send {
  let [sessions, chats] = [0, 0];
  return ({ route: { operation }, body }, sentAt) => {
    const isCreation = operation === 'create';
    // Ids of one length: requests have as many bytes whatever was created before.
    const { message = '', sessionId = `s-${String(++sessions).padStart(6, '0')}` } = JSON.parse(body) as Record<
      string,
      string
    >;
    const { afterMs, status = 200 }: Reply = isCreation ? { afterMs: 5, status: 201 } : takes(message);
    if (!isCreation) seen.push({ text: message, sentAt });
    const endedAt = later(sentAt, ms(afterMs));
    const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
    const data = { response: 'Hi.', chatId: `c-${String(++chats)}`, sessionId, isSession: true, ...dates };
    const exchange = wholeExchange({
      sentAt,
      endedAt,
      status,
      body:
        status < 400 ? JSON.stringify({ success: true, data }) : '{"success":false,"error":"Internal server error"}',
    });
    return new Promise((resolve) => void clock.wakeAt(endedAt, () => resolve(exchange)));
  };
}

/** 3 to 300 ms, depending only on the text; every seventh text fails, permanently or temporarily. */
export function byText(): (text: string) => Reply {
  const tries = new Map<string, number>();
  return (text) => {
    const hash = Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7);
    const nth = (tries.get(text) ?? 0) + 1;
    tries.set(text, nth);
    const afterMs = 3 + (hash % 297) + nth;
    if (hash % 7 === 0 && nth <= hash % 5) return { afterMs, status: 500 };
    return { afterMs };
  };
}

/** Sessions that send their number in each message. */
export const spoken: Partial<Scenario> = {
  messages: ['{{session.number}} {{turn.number}} {{int 1 99}} {{uuid}}'],
  turns: { min: 1, max: 4 },
  thinkTime: { median: '300ms', sigma: 0.5 },
};

export const twoPolicies: Partial<Scenario> = {
  retry: {
    patient: { maxAttempts: 4, base: '200ms', jitter: 'full' },
    hasty: { maxAttempts: 3, base: '10ms', jitter: 'none', budget: { share: 0.5, window: '10s' } },
  },
};
