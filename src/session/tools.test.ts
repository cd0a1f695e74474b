import { describe, expect, test } from 'vitest';
import { type Answer, SessionLab } from '../../test/support/session-lab.ts';
import { openaiChat } from '../protocol/openai-chat/openai-chat.ts';
import type { ChatApi, Received, TurnContent, Verdict } from '../protocol/protocol.ts';
import type { NextMessage, ToolFunction } from '../scenario/scenario-values.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** An API with replies `{ text, calls }`, which receives messages unchanged. */
const calling: ChatApi = {
  creation: undefined,
  converse: (sessionId) => ({
    sessionId,
    request: (turnContent: TurnContent) => ({
      route: { operation: 'message', method: 'POST', path: '/', headers: {} } as const,
      body: JSON.stringify(turnContent),
    }),
    read: ({ status, body }: Received): Verdict => {
      if (status !== 200) return { outcome: 'server_error', detail: 'x', reply: undefined };
      const { text, calls } = JSON.parse(body) as { text: string; calls?: [string, string][] };
      const toolCalls = calls?.map(([name, given], index) => ({ id: `c${String(index)}`, name, arguments: given }));
      return { outcome: 'ok', detail: '', reply: { text, id: undefined, data: null, toolCalls } };
    },
  }),
};

const calls = (...made: [name: string, given: string][]): Answer => ({
  status: 200,
  body: JSON.stringify({ text: '', calls: made }),
});
const says = (text: string): Answer => ({ status: 200, body: JSON.stringify({ text }) });

const play = (scenario: Partial<Scenario>, ...answers: Answer[]): Promise<SessionLab> =>
  new SessionLab({ retry: 'none', ...scenario }, answers, { api: calling }).run();
const saidIn = ({ sent }: SessionLab): unknown[] => sent.map(({ body }) => body['toolResults'] ?? body['message']);
const find: ToolFunction = ({ id }) => ({ id, at: 'the depot' });

describe('tools that replies call', () => {
  test('are answered in a separate turn, at once, and the conversation continues with its next message', async () => {
    const played = await play(
      { messages: ['Where?', 'Thanks {{turn.number}}'], tools: { find, now: () => 'noon' }, thinkTime: '1s' },
      calls(['find', '{"id":7}'], ['now', '']),
      says('At the depot.'),
      says('Bye.'),
    );
    expect(saidIn(played)).toEqual([
      'Where?',
      [
        { id: 'c0', name: 'find', content: '{"id":7,"at":"the depot"}' },
        { id: 'c1', name: 'now', content: 'noon' },
      ],
      'Thanks 2',
    ]);
    expect(played.turns.map(({ turn, ready, saysToolResults }) => [turn, ready, saysToolResults])).toEqual([
      [1, 0, false],
      [2, 10, true],
      [3, 1020, false],
    ]);
    expect(played.sessions).toMatchObject([{ end: 'completed', plannedTurns: 3, skippedPriorFailure: 0 }]);
  });

  test('are not answered if the scenario has none: the reply ends the turn', async () => {
    const scenario: Partial<Scenario> = { messages: ['Where?', 'Well?'] };
    const answers = [calls(['find', '{}']), says('Here.')];
    const played = await play({ ...scenario, integrity: false }, ...answers);
    expect(saidIn(played)).toEqual(['Where?', 'Well?']);
    expect(played.sessions).toMatchObject([{ end: 'completed', plannedTurns: 2 }]);
    const looked = await play(scenario, ...answers);
    // A reply without text that calls tools is not an empty one.
    expect(looked.integrityRecords.map(({ failed }) => failed)).toEqual([undefined, undefined]);
  });

  test('see the session, its values and the number of the message, and draw from the seed', async () => {
    const seen: unknown[] = [];
    const draw: ToolFunction = (_, { session, turn, variables, random }) => {
      seen.push([session.number, turn.number, variables]);
      return random();
    };
    const scenario: Partial<Scenario> = { messages: ['a'], variableValues: { n: 1 }, tools: { draw } };
    const answers = [calls(['draw', '{}'], ['draw', '{}']), calls(['draw', '{}']), says('Done.')];
    const [first, again] = [await play(scenario, ...answers), await play(scenario, ...answers)];
    expect(new Set(JSON.stringify(saidIn(first)).match(/0\.\d+/g)).size).toBe(3);
    expect(saidIn(again)).toEqual(saidIn(first));
    expect(seen.slice(0, 3)).toEqual(Array(3).fill([1, 1, { n: 1 }]));
  });

  test('are answered before the call of `next`, which receives the final reply', async () => {
    const heard: string[] = [];
    const next: NextMessage = ({ text }, { turn, sent }) => {
      heard.push(text);
      return turn.number > 2 ? null : `Is it ${String(sent.length)}?`;
    };
    const played = await play(
      { messages: { first: 'Hi', next }, tools: { find } },
      calls(['find', '{}']),
      says('One.'),
      says('Two.'),
    );
    expect(heard).toEqual(['One.', 'Two.']);
    expect(played.sessions).toMatchObject([{ end: 'completed', plannedTurns: 3 }]);
  });

  test.each<[string, [string, string], string]>([
    [
      'a tool that the scenario does not have',
      ['fnd', '{}'],
      "the reply calls an unknown tool 'fnd': did you mean 'find'?",
    ],
    ['no JSON', ['find', '{"id":'], 'the reply calls the tool find with arguments that are not a JSON object'],
    ['a list', ['find', '[]'], 'the reply calls the tool find with arguments that are not a JSON object'],
  ])('that cannot be answered fail the reply: %s', async (_, call, detail) => {
    const played = await play({ messages: ['a', 'b'], tools: { find } }, calls(call));
    expect(played.attempts.map((attempt) => [attempt.outcome, attempt.detail])).toEqual([['check_failed', detail]]);
    expect(played.sessions).toMatchObject([{ end: 'failed', plannedTurns: 2, skippedPriorFailure: 1 }]);
  });

  test('are answered eight times in a row; a further call fails the turn', async () => {
    const answers = Array.from({ length: 9 }, () => calls(['find', '{}']));
    const played = await play(
      { messages: ['a', 'b'], tools: { find }, onFailedTurn: 'continue' },
      ...answers,
      says('B.'),
    );
    expect(played.turns.map(({ outcome }) => outcome)).toEqual([...Array<string>(8).fill('ok'), 'check_failed', 'ok']);
    expect(played.attempts[8]?.detail).toBe('the reply calls tools after 8 tool turns in a row');
    expect(saidIn(played).at(-1)).toBe('b');
    expect(played.sessions).toMatchObject([{ end: 'failed', plannedTurns: 10, skippedPriorFailure: 0 }]);
  });

  test('in a session that fails or is cut are in its counts', async () => {
    const scenario: Partial<Scenario> = { messages: ['a', 'b'], tools: { find } };
    const failed = await play(scenario, calls(['find', '{}']), { status: 500, body: '' });
    expect(failed.sessions).toMatchObject([{ end: 'failed', plannedTurns: 3, skippedPriorFailure: 1 }]);
    const cut = await play({ ...scenario, maxTurns: 1 }, calls(['find', '{}']));
    expect(cut.sessions).toMatchObject([{ end: 'cut', plannedTurns: 3, skippedRunEnd: 2 }]);
  });

  test.each<[string, ToolFunction, RegExp]>([
    [
      'throws',
      () => {
        throw new Error('no depot');
      },
      /in session 1, turn 1: no depot/,
    ],
    ['returns a promise', () => Promise.resolve('x'), /tools\.find returned a promise/],
    ['returns a value without a JSON form', () => ({ km: NaN }), /NaN cannot be sent as JSON/],
  ])('end the run if a function %s', async (_, broken, words) => {
    const played = await play({ messages: ['a'], tools: { find: broken } }, calls(['find', '{}']));
    expect(played.abandoned).toEqual([expect.stringMatching(words)]);
    expect(played.sessions).toMatchObject([{ end: 'cut', plannedTurns: 2, skippedRunEnd: 1 }]);
  });

  test('are not an answer yet: checks and the guard wait for the final reply, which must contain the tag of the message', async () => {
    const checked: unknown[] = [];
    const scenario: Partial<Scenario> = {
      messages: ['a', 'b'],
      tools: { find },
      integrity: true,
      checks: { seen: (reply, { turn, message }) => checked.push([reply, turn.number, message]) > 0 },
    };
    const tags: string[] = [];
    const lab = new SessionLab({ retry: 'none', ...scenario }, [calls(['find', '{}'])], { api: tagged(tags) });
    await lab.run();
    expect(
      lab.integrityRecords.map(({ turn, failed, checked: made }) => [turn, failed, made.includes('crossed')]),
    ).toEqual([
      [2, undefined, true],
      [3, undefined, true],
    ]);
    expect(checked).toEqual([
      [expect.stringContaining(tags[0] ?? '?'), 1, ''],
      [expect.stringContaining(tags[1] ?? '?'), 2, expect.stringContaining(tags[1] ?? '?')],
    ]);
  });
});

test('a conversation by openai-chat contains the calls and their results, in the form of its API', async () => {
  const target = {
    agentId: 'm',
    baseUrl: 'http://x',
    stream: false,
    auth: 'key',
    messagesPath: null,
    messageBody: {},
  } as const;
  const rest = { conversation: 'previous_response', createSession: { path: '', body: {}, sessionIdFrom: '' } } as const;
  const made = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"id":7}' } };
  const completion = (message: object): Answer => ({
    status: 200,
    body: JSON.stringify({
      id: JSON.stringify(message),
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
    }),
  });
  const lab = new SessionLab(
    { messages: ['Where?', 'Thanks.'], tools: { find } },
    [
      completion({ content: null, tool_calls: [made] }),
      completion({ content: 'There.' }),
      completion({ content: 'Bye.' }),
    ],
    { api: openaiChat.open({ ...target, ...rest }) },
  );
  await lab.run();
  expect(lab.attempts.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
  expect(lab.sent.at(-1)?.body['messages']).toEqual([
    { role: 'user', content: 'Where?' },
    { role: 'assistant', content: null, tool_calls: [made] },
    { role: 'tool', tool_call_id: 'c1', content: '{"id":7,"at":"the depot"}' },
    { role: 'assistant', content: 'There.' },
    { role: 'user', content: 'Thanks.' },
  ]);
});

/** A service that also repeats the latest tag and code; the lab's own answers are skipped. */
function tagged(tags: string[]): ChatApi {
  return {
    ...calling,
    converse: (sessionId) => {
      const conversation = calling.converse(sessionId);
      let code = '';
      return {
        ...conversation,
        request: (turnContent) => {
          const tag = /Repeat this tag: (\S+)/.exec(turnContent.message)?.[1];
          if (tag !== undefined) tags.push(tag);
          code = /Remember this code: (\S+)/.exec(turnContent.message)?.[1] ?? code;
          return conversation.request(turnContent);
        },
        read: (received) =>
          conversation.read(
            (JSON.parse(received.body) as { calls?: unknown }).calls === undefined
              ? { ...received, body: JSON.stringify({ text: `${code} ${tags.at(-1) ?? ''}` }) }
              : received,
          ),
      };
    },
  };
}
