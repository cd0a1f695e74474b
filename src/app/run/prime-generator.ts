import { systemClock } from '../../edge/clock.ts';
import { settle, type Settled } from '../../plan/settle.ts';
import type { Exchange, Send } from '../../session/send.ts';
import type { RunOutcome } from '../../run.ts';
import { conductRun } from './conduct-run.ts';

interface Priming {
  /** Number of sessions, of two turns each. */
  sessions?: number;
  /** Maximum duration, in milliseconds. */
  maxMs?: number;
}

/**
 * Compiles the code of a turn before a run starts: runs, classifies and records sessions of a built-in scenario against a
 * function instead of a service. Nothing is sent, no function of the user's scenario is called, and the caller discards
 * the outcome.
 */
export async function primeGenerator({ sessions = 200, maxMs = 120 }: Priming = {}): Promise<RunOutcome> {
  const over = new AbortController();
  const until = performance.now() + maxMs;
  const reply = replyAtOnce();
  const send: Send = (request, sentAt) => {
    if (performance.now() >= until) over.abort();
    return reply(request, sentAt);
  };
  return conductRun(settlePriming(sessions), {
    sender: { send, cut: () => undefined },
    clock: systemClock,
    stops: { drain: over.signal, cut: over.signal },
  });
}

const settlePriming = (sessions: number): Settled =>
  settle(
    {
      name: 'priming',
      sessions,
      turns: 2,
      load: { concurrency: 10 },
      variableValues: { orderNumber: 'ORD-{{session.number}}' },
      messages: ['Where is order {{orderNumber}}? It should have arrived days ago.'],
    },
    { flags: {}, environment: {} },
    'the priming',
  );

/** Returns a service that replies immediately. */
function replyAtOnce(): Send {
  let created = 0;
  return (request, sentAt) => {
    const isCreation = request.route.operation === 'create';
    const sessionId = isCreation ? `priming-${String(++created)}` : sessionIdOf(request.body);
    const exchange: Exchange = {
      sentAt,
      firstByteAt: systemClock.now(),
      endedAt: systemClock.now(),
      connectMs: undefined,
      reused: true,
      failure: undefined,
      status: isCreation ? 201 : 200,
      retryAfter: undefined,
      body: JSON.stringify({
        success: true,
        data: { ...replyData, sessionId, chatId: `${sessionId}-${String(sentAt)}` },
      }),
      isUtf8: true,
      detail: '',
    };
    return Promise.resolve(exchange);
  };
}

const date = '2026-01-01T00:00:00Z';
const replyData = { response: 'It is on its way.', isSession: true, createdAt: date, updatedAt: date };

const sessionIdOf = (body: string): string => (JSON.parse(body) as { sessionId: string }).sessionId;
