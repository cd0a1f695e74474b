import { describe, expect, test } from 'vitest';
import { runScenario, type Scenario } from '../../src/index.ts';
import { openSocketModel, type SocketConversation, type SocketFrame } from '../support/socket-model.ts';
import { beginResponses } from '../support/responses-model.ts';

const limit = {
  type: 'error',
  status: 400,
  error: { type: 'invalid_request_error', code: 'websocket_connection_limit_reached', message: 'Limit reached' },
};
const failure = { type: 'error', status: 500, error: { type: 'server_error', code: 'server_error', message: 'Oops' } };

/** Runs one session of four turns, and returns the frames that arrived, as `[input items, previous response]`. */
async function play(
  spoil: {
    onFrame?: (frame: SocketFrame, nth: number) => readonly SocketFrame[] | undefined;
    onEnd?: (nth: number) => SocketFrame | 'close' | undefined;
  } = {},
  { target, ...changes }: Partial<Scenario> = {},
) {
  const arrived: [number, boolean][] = [];
  let sockets = 0;
  const begin = (): { converse: SocketConversation } => {
    sockets++;
    const { converse } = beginResponses();
    return {
      converse: (frame) => {
        arrived.push([(frame['input'] as unknown[]).length, typeof frame['previous_response_id'] === 'string']);
        return spoil.onFrame?.(frame, arrived.length) ?? converse(frame);
      },
    };
  };
  const baseUrl = await openSocketModel(begin, {
    onEnd: (ws, nth) => {
      const event = spoil.onEnd?.(nth);
      if (event === 'close') ws.close(1001);
      else if (event !== undefined) ws.send(JSON.stringify(event));
    },
  });
  const { books, outcomes, integrity, retries } = await runScenario({
    name: 'chain',
    sessions: 1,
    turns: 4,
    retry: { base: '1ms', maxAttempts: 2 },
    thinkTime: '20ms',
    messages: ['Remember this code: QX1', 'Which code did I tell you?', 'Hello', 'Which code did I tell you?'],
    checks: { text: (text, { turn }) => turn.number % 2 === 1 || text.includes('QX1') },
    ...changes,
    target: {
      baseUrl,
      protocol: 'openai-responses-websocket',
      agentId: 'm',
      apiKey: 'a-test-key',
      ...target,
    },
  });
  const nonZero = (counts: Record<string, number>) =>
    Object.fromEntries(Object.entries(counts).filter(([, n]) => n > 0));
  return {
    arrived,
    sockets,
    balanced: books.balanced,
    turns: nonZero(outcomes.turns),
    attempts: nonZero(outcomes.attempts),
    reopened: outcomes.reopened,
    unsolicited: outcomes.unsolicited,
    integrity: integrity.verdict,
    retries: retries.retries,
    obeyed: retries.retryAfter.obeyed,
  };
}

const chained = [
  [1, false],
  [1, true],
  [1, true],
  [1, true],
];
const sound = { balanced: true, turns: { ok: 4 }, unsolicited: 0 };

describe('a refusal in an error frame', () => {
  const refused = (headers: object) => [
    { type: 'error', status: 429, headers, error: { type: 'requests', code: 'rate_limit_exceeded', message: 'Slow' } },
  ];
  test.each([
    { 'retry-after': '0.02' },
    { 'retry-after-ms': '20' },
    { 'Retry-After-Ms': 20 },
    { 'x-ratelimit-reset-tokens': '20ms' },
  ])('states its wait in its headers: %j', async (headers) => {
    const { obeyed, attempts } = await play(
      { onFrame: (_, nth) => (nth === 1 ? refused(headers) : undefined) },
      { turns: 1 },
    );
    expect({ obeyed, attempts }).toEqual({ obeyed: 1, attempts: { rate_limited: 1, ok: 1 } });
  });
});

describe('a conversation over WebSocket', () => {
  test('continues the response before, over one socket', async () => {
    expect(await play()).toMatchObject({ ...sound, arrived: chained, attempts: { ok: 4 }, sockets: 1, reopened: 0 });
  });

  test.each([['closed', 'close'] as const, ['at its maximum age', limit] as const])(
    'is sent again over the next socket if its socket is %s between two turns, without a failure',
    async (_, event) => {
      // The pause is long enough for the frame to be read, also on a busy machine.
      const seen = await play({ onEnd: (nth) => (nth === 2 ? event : undefined) }, { thinkTime: '400ms' });
      const arrived = [
        [1, false],
        [1, true],
        [5, false],
        [1, true],
      ];
      expect(seen).toMatchObject({ ...sound, arrived, attempts: { ok: 4 }, sockets: 2, reopened: 1 });
    },
  );

  test('is sent again over the next socket if the attempt met the maximum age of its socket', async () => {
    const seen = await play({ onFrame: (_, nth) => (nth === 3 ? [limit] : undefined) });
    const arrived = [
      [1, false],
      [1, true],
      [1, true],
      [5, false],
      [1, true],
    ];
    expect(seen).toMatchObject({ ...sound, arrived, attempts: { ok: 4, connection_lost: 1 }, sockets: 2, reopened: 1 });
  });

  test('is sent again by a retry, because the service forgets it with an attempt that fails', async () => {
    const seen = await play({ onFrame: (_, nth) => (nth === 3 ? [failure] : undefined) });
    const arrived = [
      [1, false],
      [1, true],
      [1, true],
      [5, false],
      [1, true],
    ];
    expect(seen).toMatchObject({ ...sound, arrived, attempts: { ok: 4, server_error: 1 }, sockets: 1, retries: 1 });
  });

  const forgetting = (from: number) => (frame: SocketFrame, nth: number) =>
    nth === from && 'previous_response_id' in frame
      ? [
          {
            type: 'error',
            status: 400,
            error: { code: 'previous_response_not_found', message: 'Not found.', param: null },
          },
        ]
      : undefined;

  test.each([['with retries', {}] as const, ['without retries', { retry: 'none' }] as const])(
    'is sent again once if the service does not know the response before, %s',
    async (_, changes) => {
      const seen = await play({ onFrame: forgetting(3) }, changes);
      const arrived = [
        [1, false],
        [1, true],
        [1, true],
        [5, false],
        [1, true],
      ];
      expect(seen).toMatchObject({ ...sound, arrived, attempts: { ok: 4, bad_request: 1 }, sockets: 1, retries: 1 });
    },
  );

  test('continues a stored response over the next socket', async () => {
    const seen = await play(
      { onEnd: (nth) => (nth === 2 ? 'close' : undefined), onFrame: forgetting(3) },
      { target: { messageBody: { store: true } } },
    );
    // This service does not store them.
    expect(seen).toMatchObject({
      ...sound,
      arrived: [
        [1, false],
        [1, true],
        [1, true],
        [5, false],
        [1, true],
      ],
      reopened: 1,
    });
  });
});

test('fields of the scenario are part of every frame, except those that only the protocol writes', async () => {
  const frames: SocketFrame[] = [];
  await play(
    { onFrame: (frame) => void frames.push(frame) },
    {
      turns: 1,
      target: {
        messageBody: { type: 'other', background: true, max_output_tokens: 50 },
        instructions: 'Be kind.',
      },
    },
  );
  expect(frames).toEqual([
    {
      type: 'response.create',
      model: 'm',
      store: false,
      max_output_tokens: 50,
      instructions: 'Be kind.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Remember this code: QX1' }] }],
    },
  ]);
});
