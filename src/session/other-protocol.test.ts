import { chatRequest } from '../protocol/chat-request.ts';
import { describe, expect, test } from 'vitest';
import { SessionLab } from '../../test/support/session-lab.ts';
import type { Answer } from '../../test/support/session-lab.ts';
import type { ChatApi, Conversation, Received, Reply, TurnContent, Verdict } from '../protocol/protocol.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** A stateless API: one path per turn, and the whole conversation in the body. */
const forgetful: ChatApi = {
  creation: undefined,
  converse: (sessionId): Conversation => {
    const kept: string[] = [];
    return {
      sessionId,
      request: ({ message }: TurnContent) => {
        const path = `/turns/${String(kept.length / 2 + 1)}`;
        const route = { operation: 'message', method: 'PUT', path, headers: { 'X-Turn': '1' } } as const;
        if (kept.length % 2 === 0) kept.push(message);
        return chatRequest(route, JSON.stringify({ history: [...kept] }));
      },
      read: ({ status, body }): Verdict =>
        status === 200
          ? { outcome: 'ok', detail: '', reply: { text: body, id: undefined, data: null } }
          : { outcome: 'server_error', detail: `status ${String(status)}`, reply: undefined },
      replied: ({ text }: Reply) => void kept.push(text),
    };
  },
};

const play = (answers: readonly Answer[], turns: number): Promise<SessionLab> =>
  new SessionLab({ messages: ['a', 'b'], turns, retry: { maxAttempts: 2 } }, answers, { api: forgetful }).run();

describe('a protocol without creations, whose client keeps the conversation', () => {
  test('receives the conversation so far, each turn at its own path', async () => {
    const lab = await play(
      [
        { status: 200, body: 'A' },
        { status: 200, body: 'B' },
      ],
      2,
    );
    expect(lab.sent.map(({ body }) => body['history'])).toEqual([['a'], ['a', 'A', 'b']]);
    expect(lab.sent.map(({ route: { method, path } }) => `${method} ${path}`)).toEqual([
      'PUT /turns/1',
      'PUT /turns/2',
    ]);
    expect(lab.turns.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    expect(lab.sessions).toMatchObject([{ end: 'completed', plannedTurns: 2 }]);
  });

  test('sends a retried turn unchanged', async () => {
    const lab = await play(
      [
        { status: 503, body: '' },
        { status: 200, body: 'A' },
      ],
      1,
    );
    expect(lab.sent.map(({ body }) => body['history'])).toEqual([['a'], ['a']]);
    expect(lab.attempts.map(({ outcome }) => outcome)).toEqual(['server_error', 'ok']);
  });

  test('has no integrity check that needs an id for every reply', async () => {
    const scenario = { messages: ['a'], turns: 2, integrity: { active: false } };
    const lab = await new SessionLab(
      scenario,
      [
        { status: 200, body: 'A' },
        { status: 200, body: 'A' },
      ],
      {
        api: forgetful,
      },
    ).run();
    expect(lab.integrityRecords.map(({ failed, checked }) => [failed, checked.includes('stale')])).toEqual([
      [undefined, false],
      [undefined, false],
    ]);
  });

  test('records how its requests grow, in bytes, and the tokens of every reply that keeps the contract', async () => {
    const counting: ChatApi = {
      creation: undefined,
      converse: (sessionId) => {
        const told = forgetful.converse(sessionId);
        const read = (received: Received): Verdict => {
          const verdict = told.read(received);
          const usage = { inputTokens: 7, outputTokens: received.body.length };
          return verdict.reply === undefined ? verdict : { ...verdict, reply: { ...verdict.reply, usage } };
        };
        return { ...told, read };
      },
    };
    const scenario: Partial<Scenario> = {
      messages: ['\u00e9', 'b'],
      checks: { short: (text) => text.length < 3 },
      retry: { maxAttempts: 2, jitter: 'none' },
    };
    const lab = await new SessionLab(
      scenario,
      [
        { status: 200, body: 'A' },
        { status: 503, body: '' },
        { status: 200, body: 'long' },
      ],
      { api: counting },
    ).run();
    expect(
      lab.attempts.map(({ outcome, requestBytes, usage }) => [outcome, requestBytes, usage?.outputTokens]),
    ).toEqual([
      ['ok', 18, 1],
      ['server_error', 26, undefined],
      ['check_failed', 26, 4],
    ]);
  });
});
