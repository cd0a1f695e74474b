import { describe, expect, test } from 'vitest';
import { ms } from '../base/time.ts';
import { errorTexts } from '../protocol/chat-messaging/api.ts';
import { questions } from '../protocol/chat-messaging/questions.ts';
import type { Answer, CheckRequest } from './exchanges.ts';
import { Skipped } from './rule.ts';
import { Talk, withMembers } from './talk.ts';
import { chatMessaging } from '../protocol/chat-messaging/chat-messaging.ts';
import { bareTarget } from '../../test/support/stream-events.ts';
import { firstSession, messagingWire, repliesOf } from './chat-messaging/messages.ts';

const answer = (status: number, body: unknown, retryAfter = ''): Answer => ({
  status,
  contentType: 'application/json',
  retryAfter,
  body: JSON.stringify(body),
  failure: undefined,
  detail: '',
  sentAtMs: 0,
  endedAtMs: 0,
});

const created = answer(201, { data: { sessionId: 's' } });
const replied = answer(200, { success: true, data: { response: 'Yes.' } });

const words = { remember: questions.remember, recall: questions.recall };

/** A conversation with these answers to messages, one after the other; the last one is repeated. */
function open(messages: readonly Answer[], creation = created) {
  const asked: CheckRequest[] = [];
  const pauses: number[] = [];
  let codes = 0;
  const createSession = { path: '/sessions', body: {}, sessionIdFrom: 'data.sessionId' };
  const api = chatMessaging.open({ ...bareTarget, agentId: 'a', createSession });
  const talk: Talk = new Talk(
    {
      open: () => api,
      first: api,
      whole: api,
      streamed: undefined,
      values: '{"plan":"pro"}',
      timeoutMs: 1000,
      isOpen: false,
      isAnonymous: false,
      auth: 'key',
      needs: { chatOffAgentId: undefined, wrongKindKey: undefined, variable: undefined, words },
      newCode: () => `C${String(++codes)}`,
    },
    {
      post: (sent): Promise<Answer> => {
        asked.push(sent);
        if (sent.route.operation === 'create') return Promise.resolve(creation);
        return Promise.resolve(messages[Math.min(talk.answers.length, messages.length - 1)] ?? replied);
      },
      pause: (length) => Promise.resolve(void pauses.push(length)),
      pauseMs: ms(7),
    },
    messagingWire,
  );
  return { talk, asked, pauses };
}

describe('the conversation of a check', () => {
  test('happens once, whichever rule requests it', async () => {
    const { talk, asked, pauses } = open([replied]);
    await talk.recalled();
    await Promise.all([repliesOf(talk), talk.opening(), firstSession(talk)]);
    expect(asked.map(({ route }) => route.operation)).toEqual(['create', 'message', 'message']);
    expect(asked[1] && JSON.parse(asked[1].body)).toEqual({
      agentId: 'a',
      sessionId: 's',
      message: 'Remember this code: C1\nRepeat this tag: C2',
      variableValues: { plan: 'pro' },
    });
    expect([pauses, talk.count]).toEqual([[7, 7], 3]);
  });

  test('retries retryable failures, after the Retry-After, and gives up after three', async () => {
    const busy = [answer(429, {}, '2.5'), answer(503, { error: errorTexts.provider }), replied];
    const { talk, pauses } = open(busy);
    expect((await talk.opening()).answer).toBe(replied);
    expect(pauses).toEqual([7, 2500, 500]);
    const { talk: hopeless } = open([answer(500, {})]);
    expect((await hopeless.opening()).answer.status).toBe(500);
    expect(hopeless.count).toBe(4);
  });

  test('retries ten times in total, however long the failures continue', async () => {
    const { talk } = open([answer(500, {})]);
    const conversation = talk.subject.whole.converse('s');
    for (let time = 0; time < 20; time++) await talk.say(conversation, 'Hi');
    expect(talk.count).toBe(30);
  });

  test('ends when the key is rejected at first, and continues when it is rejected later', async () => {
    const refused = answer(401, { error: 'no' });
    await expect(firstSession(open([replied], refused).talk)).rejects.toMatchObject({ code: 'environment' });
    await expect(open([refused]).talk.opening()).rejects.toMatchObject({ code: 'environment' });
    expect((await open([replied, refused]).talk.recalled()).answer).toBe(refused);
  });

  test('reports that there is nothing to examine if no session or no reply was received', async () => {
    await expect(firstSession(open([replied], answer(400, { error: 'no' })).talk)).rejects.toThrow(
      new Skipped('no session could be created: 400 "no"'),
    );
    await expect(repliesOf(open([answer(404, {})]).talk)).rejects.toThrow(Skipped);
  });

  test('sends a request with other parts of the wire if a rule changes them', async () => {
    const { talk, asked } = open([replied]);
    const conversation = talk.conversationOf(await talk.first());
    const { answer: seen, verdict } = await talk.say(conversation, 'Hi', {
      key: 'none',
      change: withMembers({ agentId: undefined, message: 'Bye' }),
      route: { method: 'PUT', path: '/other', headers: { Accept: 'text/plain' } },
    });
    expect(asked[1]).toMatchObject({
      key: 'none',
      route: { operation: 'message', method: 'PUT', path: '/other', headers: { Accept: 'text/plain' } },
    });
    expect(asked[1] && JSON.parse(asked[1].body)).toEqual({
      sessionId: 's',
      message: 'Bye',
      variableValues: { plan: 'pro' },
    });
    expect([seen, verdict.outcome, verdict.reply?.text]).toEqual([replied, 'ok', 'Yes.']);
  });
});
