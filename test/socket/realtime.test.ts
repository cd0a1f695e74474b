import { describe, expect, test } from 'vitest';
import { runScenario, type Scenario } from '../../src/index.ts';
import { beginRealtime } from '../support/realtime-model.ts';
import { openSocketModel, type SocketFrame, type SocketSpoiling } from '../support/socket-model.ts';

const expired = {
  type: 'error',
  error: { type: 'invalid_request_error', code: 'session_expired', message: 'Expired' },
};

/** Runs one session of three turns. Returns the frames of the client by their types, for each socket. */
async function play(
  spoil: (frame: SocketFrame, nth: number) => readonly SocketFrame[] | undefined,
  { target, ...changes }: Partial<Scenario> = {},
  onEnd?: SocketSpoiling['onEnd'],
) {
  const sockets: SocketFrame[][] = [];
  let responses = 0;
  const baseUrl = await openSocketModel(() => {
    const { converse, greeting } = beginRealtime();
    const frames: SocketFrame[] = [];
    sockets.push(frames);
    return {
      greeting,
      converse: (frame) => {
        frames.push(frame);
        const nth = frame.type === 'response.create' ? ++responses : 0;
        return spoil(frame, nth) ?? converse(frame);
      },
    };
  }, onEnd && { onEnd });
  const { books, outcomes } = await runScenario({
    name: 'realtime',
    sessions: 1,
    turns: 3,
    retry: { base: '1ms', maxAttempts: 2 },
    // Longer than a slow machine takes to notice a closed socket.
    thinkTime: '250ms',
    messages: ['Remember this code: QX1', 'Hello', 'Which code did I tell you?'],
    checks: { text: (text, { turn }) => turn.number < 3 || text.includes('QX1') },
    ...changes,
    target: { baseUrl, protocol: 'openai-realtime', agentId: 'gpt-realtime', apiKey: 'a-test-key', ...target },
  });
  const nonZero = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
  return {
    sockets: sockets.map((frames) => frames.map(({ type }) => type.replace(/^(\w+).*\.(\w+)$/, '$1 $2'))),
    frames: sockets.flat(),
    seen: {
      balanced: books.balanced,
      turns: nonZero(outcomes.turns),
      attempts: nonZero(outcomes.attempts),
      reopened: outcomes.reopened,
      unsolicited: outcomes.unsolicited,
    },
  };
}

const [update, item, request] = ['session update', 'conversation create', 'response create'];
const sound = { balanced: true, turns: { ok: 3 }, attempts: { ok: 3 }, reopened: 0, unsolicited: 0 };

describe('a Realtime session', () => {
  test('has its settings before the first turn, and a turn is an item and the request of a response', async () => {
    const { sockets, seen } = await play(() => undefined);
    expect(seen).toEqual(sound);
    expect(sockets).toEqual([[update, item, request, item, request, item, request]]);
  });

  test('is continued on another socket with all items of the conversation', async () => {
    const close: SocketSpoiling['onEnd'] = (ws, nth) => nth === 2 && ws.close(1001);
    const { sockets, seen } = await play(() => undefined, {}, close);
    expect(seen).toEqual({ ...sound, reopened: 1 });
    expect(sockets[1]).toEqual([update, item, item, item, item, item, request]);
  });

  test('that expires between two turns is replaced without a failure', async () => {
    const expire: SocketSpoiling['onEnd'] = (ws, nth) => nth === 2 && ws.send(JSON.stringify(expired));
    const { sockets, seen } = await play(() => undefined, {}, expire);
    expect([seen, sockets.length]).toEqual([{ ...sound, reopened: 1 }, 2]);
  });

  test('contains the item of a turn once, however many attempts it has', async () => {
    const failed = [
      { type: 'response.created', response: { id: 'resp_x' } },
      {
        type: 'response.done',
        response: {
          id: 'resp_x',
          status: 'failed',
          status_details: { type: 'failed', error: { type: 'server_error', code: null, message: 'Oops' } },
          output: [],
        },
      },
    ];
    const { sockets, seen } = await play((_, nth) => (nth === 2 ? failed : undefined));
    expect(seen).toEqual({ ...sound, attempts: { ok: 3, server_error: 1 } });
    expect(sockets).toEqual([[update, item, request, item, request, request, item, request]]);
  });

  test('is replaced after an error that another frame than the request caused', async () => {
    const refused = [{ type: 'error', error: { type: 'server_error', code: null, message: 'Oops' } }];
    const { sockets, seen } = await play((_, nth) => (nth === 2 ? refused : undefined));
    expect(seen).toEqual({ ...sound, attempts: { ok: 3, server_error: 1 }, reopened: 1 });
    expect(sockets.length).toBe(2);
  });

  test('outlives an error of the request', async () => {
    const refused = (event_id: unknown) => [
      { type: 'error', error: { type: 'server_error', code: null, message: 'Oops', event_id } },
    ];
    const { sockets, seen } = await play((frame, nth) => (nth === 2 ? refused(frame['event_id']) : undefined));
    expect([seen, sockets.length]).toEqual([{ ...sound, attempts: { ok: 3, server_error: 1 } }, 1]);
  });

  const doneAs = (id: string | undefined, status: string, details: object = {}): SocketFrame => ({
    type: 'response.done',
    response: { id, status, status_details: { type: status, ...details }, output: [] },
  });
  const oops = { error: { type: 'server_error', code: 'rate_limit_exceeded', message: 'Too fast' } };

  test.each<[string, readonly SocketFrame[], string]>([
    ['that failed', [doneAs('resp_x', 'failed', oops)], 'rate_limited'],
    ['that failed, without an id', [doneAs(undefined, 'failed', oops)], 'rate_limited'],
    ['that was cancelled', [doneAs('resp_x', 'cancelled', { reason: 'turn_detected' })], 'truncated'],
    ['that a limit cut off', [doneAs('resp_x', 'incomplete', { reason: 'content_filter' })], 'ok'],
    ['that is complete', [doneAs('resp_x', 'completed')], 'ok'],
    ['of an unknown status', [doneAs('resp_x', 'odd')], 'contract_broken'],
    ['in an error', [{ type: 'error', ...oops }], 'rate_limited'],
    [
      'that was never announced',
      [{ type: 'response.output_text.delta', response_id: 'resp_x', delta: 'Hi' }, doneAs('resp_x', 'completed')],
      'ok',
    ],
  ])('ends a turn with the end of a response %s, also before response.created', async (_, answer, outcome) => {
    const { seen } = await play((_frame, nth) => (nth === 1 ? answer : undefined), {
      turns: 1,
      retry: 'none',
      integrity: false,
      timeout: '5s',
    });
    expect(seen).toMatchObject({ attempts: { [outcome]: 1 }, unsolicited: 0 });
  });

  test.each<[string, (id: string) => readonly SocketFrame[], number]>([
    ['the end', (id) => [doneAs(id, 'failed', oops)], 1],
    ['an event', (id) => [{ type: 'response.output_text.delta', response_id: id, delta: '!' }], 1],
    ['the announcement', (id) => [{ type: 'response.created', response: { id } }], 0],
    ['an error', () => [{ type: 'error', error: { ...oops.error, code: null, event_id: 'response_1' } }], 0],
  ])('does not take %s of a response to an earlier turn for its own', async (_, late, unsolicited) => {
    const { seen } = await play(
      (_frame, nth) => {
        if (nth === 1) return [doneAs('resp_old', 'completed')];
        return nth === 2 ? [...late('resp_old'), doneAs('resp_new', 'failed', oops)] : undefined;
      },
      { turns: 2, retry: 'none', integrity: false, timeout: '5s' },
    );
    expect(seen).toMatchObject({ attempts: { ok: 1, rate_limited: 1 }, unsolicited });
  });

  test('outlives a user who leaves: the response is cancelled, and its late frames belong to no turn', async () => {
    const begun = (id: string) => [
      { type: 'response.created', response: { id } },
      { type: 'response.output_text.delta', response_id: id, delta: 'Well' },
    ];
    const late = [
      { type: 'response.output_text.delta', response_id: 'resp_1', delta: ', then' },
      { type: 'response.done', response: { id: 'resp_1', status: 'cancelled', output: [] } },
    ];
    const { sockets, frames, seen } = await play(
      (_, nth) => (nth > 0 ? [...(nth === 2 ? late : []), ...begun(`resp_${String(nth)}`)] : undefined),
      { abandon: { share: 1, after: '300ms' }, turns: 2 },
    );
    expect(seen).toEqual({
      ...sound,
      turns: { abandoned: 2 },
      attempts: { abandoned: 2 },
      unsolicited: 1,
    });
    expect(sockets).toEqual([[update, item, request, 'response cancel', item, request, 'response cancel']]);
    expect(frames[3]).toEqual({ type: 'response.cancel', response_id: 'resp_1' });
  });
});

test.each([
  ['without variables are settings of the session', 'Be kind.', 'Be kind.', undefined],
  ['with variables are part of every request', 'Serve {{name}}.', undefined, { instructions: 'Serve Ana.' }],
])('instructions %s', async (_, instructions, ofSession, ofResponse) => {
  const { frames } = await play(() => undefined, {
    turns: 1,
    variableValues: { name: 'Ana' },
    target: { instructions, messageBody: { max_output_tokens: 50, output_modalities: ['audio'] } },
  });
  expect(frames[0]).toEqual({
    type: 'session.update',
    session: {
      type: 'realtime',
      output_modalities: ['text'],
      max_output_tokens: 50,
      ...(ofSession !== undefined && { instructions: ofSession }),
    },
  });
  expect(frames[2]?.['response']).toEqual(ofResponse);
});
