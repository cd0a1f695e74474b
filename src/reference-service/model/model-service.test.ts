import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dataIn, openModel, userMessage } from '../../../test/support/model-service.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';

const find = {
  type: 'function',
  function: {
    name: 'find',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 2, maximum: 5 } },
      required: ['city', 'days'],
    },
  },
};
const ask = { ...find, function: { ...find.function, name: 'ask' } };
const call = (id: string) => ({ id, type: 'function', function: { name: 'find', arguments: '{}' } });
const assistant = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '20 degrees' });

interface Completion {
  choices: {
    message: { content: string | null; tool_calls?: { function: { name: string; arguments: string } }[] };
    finish_reason: string;
  }[];
  usage: Record<string, number> & { prompt_tokens_details: { cached_tokens: number } };
}
const completion = ({ body }: { body: string }): Completion => JSON.parse(body) as Completion;
const calledIn = (reply: { body: string }): string[] =>
  (completion(reply).choices[0]?.message.tool_calls ?? []).map((each) => each.function.name);

describe('the model service', () => {
  const apis = {
    chat: ['/v1/chat/completions', { model: 'm', messages: [userMessage('Where is my order?')] }],
    responses: ['/v1/responses', { model: 'm', input: 'Where is my order?' }],
    messages: ['/v1/messages', { model: 'm', max_tokens: 99, messages: [userMessage('Where is my order?')] }],
    embeddings: ['/v1/embeddings', { model: 'm', input: 'Where is my order?' }],
  } as const;

  test.each(Object.entries(apis))('reports one start and one end of a call: %s', async (api, [path, body]) => {
    const { post, starts, ends, others } = await openModel();
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, 'x-stainless-retry-count': '2' };
    expect((await post(path, body, { headers })).status).toBe(200);
    expect(starts).toMatchObject([
      { id: 1, api, model: 'm', traceId: trace, userText: 'Where is my order?', inputTokens: 4, retryCount: 2 },
    ]);
    expect(ends).toMatchObject([{ id: 1, outcome: 'ok', status: 200, model: 'm', usage: { inputTokens: 4 } }]);
    expect(others).toEqual({ requests: 0, connections: 1 });
  });

  test.each(Object.entries(apis).slice(0, 3))(
    'streams the reply that it sends without a stream: %s',
    async (_api, [path, body]) => {
      const { post, ends } = await openModel({}, { place: () => ({ session: 1, turn: 1, call: 1 }) });
      const streamed = dataIn((await post(path, { ...body, stream: true })).body)
        .map(deltaOf)
        .join('');
      const whole = (await post(path, { ...body })).body;
      expect(streamed.split(' ').length).toBeGreaterThan(15);
      expect(whole).toContain(JSON.stringify(streamed));
      expect(ends.map(({ outcome, firstContentAt }) => [outcome, firstContentAt !== undefined])).toEqual([
        ['ok', true],
        ['ok', false],
      ]);
      expect(ends[0]?.usage).toEqual(ends[1]?.usage);
    },
  );

  test('counts other requests, and refuses unknown paths and WebSocket', async () => {
    const { request, raw, starts, others, baseUrl } = await openModel({ models: ['a', 'b c'] });
    const get = (path: string) => request(path, {});
    expect((await get('/v1/models')).body).toContain('"id":"b c"');
    expect((await get('/models/b%20c')).status).toBe(200);
    expect((await get('/v1/models/nothing')).status).toBe(404);
    expect((await get('/v1/models/%E0%A4%A')).status).toBe(404);
    const unknown = await request('/v1/nowhere%', { method: 'POST', body: '{' });
    expect([unknown.status, JSON.parse(unknown.body)]).toEqual([
      404,
      { error: { message: 'Invalid URL (POST /v1/nowhere%)', type: 'invalid_request_error', param: null, code: null } },
    ]);
    const upgrade = `GET /v1/responses HTTP/1.1\r\nhost: ${baseUrl}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`;
    expect(await raw(upgrade)).toMatch(/^HTTP\/1.1 400 [^]*does not support WebSocket/);
    expect(await raw('GET /\0 HTTP/1.1\r\n\r\n')).toContain('400');
    expect(starts).toEqual([]);
    expect(others.requests).toBeGreaterThanOrEqual(5);
  });

  test('rejects invalid requests with the errors of each API', async () => {
    const { post, chat, ends } = await openModel({ keys: ['right'], models: ['m'] });
    const headers = { authorization: 'Bearer right' };
    const statuses = [
      (await chat()).status,
      (await chat({}, { headers: { authorization: 'Bearer wrong-secret' } })).status,
      (await post('/v1/chat/completions', '{', { headers })).status,
      (await chat({ messages: [] }, { headers })).status,
      (await chat({ n: 0 }, { headers })).status,
      (await chat({ model: 'other' }, { headers })).status,
      (await post('/v1/responses', { model: 'm', input: 'Hi', previous_response_id: 'resp_1' }, { headers })).status,
      (await post('/v1/embeddings', { model: 'm', input: '' }, { headers })).status,
    ];
    expect(statuses).toEqual([401, 401, 400, 400, 400, 404, 400, 400]);
    const anthropic = await post('/v1/messages', { model: 'm' }, { headers: { 'x-api-key': 'right' } });
    expect(JSON.parse(anthropic.body)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect(ends.map(({ outcome }) => outcome)).toEqual(Array<string>(9).fill('rejected'));
  });

  test('never reports or returns a key', async () => {
    const { chat, starts, ends } = await openModel({ keys: ['right'] });
    const reply = await chat({}, { headers: { authorization: 'Bearer wrong-secret' } });
    expect(JSON.stringify([reply, starts, ends])).not.toMatch(/wrong-secret|right/);
    for (const model of ['wrong-secret', 'Bearer wrong-secret', 'anthropic/wrong-secret', 'wrong-secret\n'])
      for (const headers of [{ authorization: 'Bearer wrong-secret' }, { 'api-key': 'wrong-secret' }])
        await chat({ model }, { headers: { authorization: 'Bearer right', ...headers } });
    expect(JSON.stringify([starts, ends])).not.toContain('wrong-secret');
  });

  test('knows the trace of a call whose upload was aborted', async () => {
    const { raw, starts, ends, ended } = await openModel({ header: 'X-Trace' });
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: m\r\ncontent-length: 99\r\ntraceparent: 00-${id}-00f067aa0ba902b7-01\r\nx-trace: ${id}\r\n\r\n`;
    const gone = raw(`${head}{"model":`, { endsAfter: true });
    await gone;
    await ended(1);
    expect(starts).toMatchObject([{ traceId: id, headerTraceId: id }]);
    expect(ends).toMatchObject([{ outcome: 'cancelled', status: 0 }]);
  });

  test('counts no output of a reply that is cancelled before it is made', async () => {
    const clock = new VirtualClock();
    const { chat, ends, started, ended } = await openModel({ latency: '50ms' }, { clock });
    const leaving = new AbortController();
    const reply = chat({}, { signal: leaving.signal }).catch(() => undefined);
    await started(1);
    leaving.abort();
    await reply;
    await ended(1);
    expect(ends).toMatchObject([{ outcome: 'cancelled', usage: { inputTokens: 1, outputTokens: 0 } }]);
  });

  test('a bug in the service ends the call as a failure of the model, never as one of the agent', async () => {
    const place = (): never => {
      throw new Error('a bug');
    };
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const { chat, ends, ended } = await openModel({}, { place });
    await expect(chat()).rejects.toThrow('fetch failed');
    await ended(1);
    expect(ends).toMatchObject([{ outcome: 'upstream_failed', status: 0 }]);
    expect((await warned).message).toBe('a bug');
  });

  test('ends a call that the agent closes as cancelled, and one that is open at the end as such', async () => {
    const clock = new VirtualClock();
    const { chat, ends, started, ended, service } = await openModel({ latency: '10s' }, { clock });
    const leaving = new AbortController();
    const left = chat({ stream: true }, { signal: leaving.signal }).catch(() => undefined);
    await started(1);
    leaving.abort();
    await left;
    await ended(1);
    void chat().catch(() => undefined);
    await started(2);
    service.stop();
    expect(ends).toMatchObject([
      { id: 1, outcome: 'cancelled', status: 0 },
      { id: 2, outcome: 'open_at_end', status: 0 },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('reports a call whose body never arrived as cancelled', async () => {
    const { service, starts, ends, ended } = await openModel();
    const socket = connect(service.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.end('POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n{');
    await ended(1);
    expect([starts, ends]).toMatchObject([[{ id: 1, userText: '' }], [{ id: 1, outcome: 'cancelled' }]]);
  });

  test('takes the latency, the time of the uncached input, and the time per token', async () => {
    const clock = new VirtualClock();
    const place = () => ({ session: 1, turn: 1, call: 1 });
    const options = { latency: '1s', tokenTime: '10ms', inputTokenTime: '1s', cache: { minTokens: 1 } } as const;
    const { chat, ends, starts, started, ended } = await openModel(options, { clock, place });
    const text = 'word '.repeat(1000).trim();
    for (const [index, stream] of [true, false].entries()) {
      const reply = chat({ stream, messages: [userMessage(text)] });
      await started(index + 1);
      await clock.run();
      await reply;
      await ended(index + 1);
    }
    const [streamed, whole] = ends;
    const tokens = streamed?.usage?.outputTokens ?? 0;
    expect((streamed?.firstContentAt ?? 0) - (starts[0]?.arrivedAt ?? 0)).toBeCloseTo(2000);
    expect((streamed?.endedAt ?? 0) - (starts[0]?.arrivedAt ?? 0)).toBeCloseTo(2000 + 10 * (tokens - 1));
    const cached = whole?.usage?.cachedInputTokens ?? 0;
    expect(cached).toBeGreaterThan(900);
    const expected = 1000 + (1000 - cached) + 10 * (tokens - 1);
    expect((whole?.endedAt ?? 0) - (starts[1]?.arrivedAt ?? 0)).toBeCloseTo(expected);
    expect(ends.map(({ latenessMs }) => latenessMs)).toEqual([0, 0]);
  });

  test('serves as many calls at once as it has slots, the others in order of arrival', async () => {
    const clock = new VirtualClock();
    const { chat, ends, started, ended } = await openModel({ latency: '1s', capacity: 2 }, { clock });
    const leaving = new AbortController();
    const replies = [];
    for (let index = 1; index <= 5; index++) {
      const signal = index === 3 ? leaving.signal : undefined;
      replies.push(chat({}, signal && { signal }).catch(() => undefined));
      await started(index);
    }
    leaving.abort();
    await ended(1);
    await clock.run();
    await Promise.all(replies);
    expect(ends.map(({ id, endedAt, outcome }) => [id, endedAt, outcome])).toEqual([
      [3, 0, 'cancelled'],
      [1, 1000, 'ok'],
      [2, 1000, 'ok'],
      [4, 2000, 'ok'],
      [5, 2000, 'ok'],
    ]);
  });
});

describe('replies of the model service', () => {
  test('are those of the first rule that matches', async () => {
    const { chat } = await openModel({
      replies: [
        { model: 'gpt-*', message: '/refund/i', text: 'Refund of {{model}}, turn {{turn}}: {{message}}' },
        { toolResult: true, text: 'Done' },
        { turn: 2, calls: [{ name: 'find', arguments: { city: 'Rome' } }] },
      ],
    });
    const text = async (body: object) => completion(await chat(body)).choices[0]?.message.content;
    expect(await text({ model: 'gpt-5', messages: [userMessage('REFUND')] })).toBe('Refund of gpt-5, turn 1: REFUND');
    expect(await text({ messages: [userMessage('Hi'), assistant('a'), result('a')] })).toBe('Done');
    const called = await chat({ messages: [userMessage('Hi'), userMessage('Again')] });
    expect(calledIn(called)).toEqual(['find']);
    expect(await text({ model: 'm', messages: [userMessage('refund')] })).toMatch(/^[A-Z][a-z]+ .*\.$/);
  });

  test('make the arguments of scripted calls that have none from the schema of the tool', async () => {
    const { chat } = await openModel({ replies: [{ calls: [{ name: 'find' }, { name: 'other' }] }] });
    const calls = completion(await chat({ tools: [find] })).choices[0]?.message.tool_calls ?? [];
    expect(calls.map((each) => JSON.parse(each.function.arguments) as unknown)).toEqual([
      { city: expect.any(String) as string, days: expect.any(Number) as number },
      {},
    ]);
  });

  test('make scripted calls once per turn', async () => {
    const { chat } = await openModel({ replies: [{ message: 'a', calls: [{ name: 'find' }] }] });
    expect(calledIn(await chat({ messages: [userMessage('a')] }))).toEqual(['find']);
    expect(calledIn(await chat({ messages: [userMessage('a'), assistant('x'), result('x')] }))).toEqual([]);
  });

  test.each([
    ['required', 'required', {}, [['1'], []]],
    ['of a named tool', { type: 'function', function: { name: 'ask' } }, {}, [['1'], []]],
    ['of none', 'none', { calls: 2 }, [[]]],
    ['of the model without calls', 'auto', {}, [[]]],
    ['of the model, one by one', 'auto', { calls: 2 }, [['1'], ['2'], []]],
    ['of the model, in parallel', 'auto', { calls: 2, parallel: true }, [['1', '2'], []]],
    ['required, several', 'required', { calls: 3 }, [['1'], ['2'], ['3'], []]],
  ] as const)('call tools until the turn has its calls, then end: choice %s', async (_, tool_choice, tools, steps) => {
    const { chat } = await openModel({ tools });
    const messages: object[] = [userMessage('Hi')];
    for (const step of steps) {
      const reply = await chat({ messages, tools: [find, ask], tool_choice });
      const [choice] = completion(reply).choices;
      expect(calledIn(reply)).toHaveLength(step.length);
      expect(choice?.finish_reason).toBe(step.length === 0 ? 'stop' : 'tool_calls');
      if (typeof tool_choice === 'object') expect(calledIn(reply)).toEqual(step.map(() => 'ask'));
      messages.push(assistant(...step), ...step.map(result));
    }
  });

  test('end the loop of Messages whose tool results have a text next to them', async () => {
    const { post } = await openModel();
    const tools = [{ name: 'find', input_schema: find.function.parameters }];
    const messages: object[] = [userMessage('Hi')];
    const send = async () =>
      (await post('/v1/messages', { model: 'm', max_tokens: 99, tool_choice: { type: 'any' }, tools, messages })).body;
    const first = JSON.parse(await send()) as { content: { type: string; id: string; input: { days: number } }[] };
    expect(first).toMatchObject({ stop_reason: 'tool_use', content: [{ type: 'tool_use', name: 'find' }] });
    expect(first.content[0]?.input.days).toBeGreaterThanOrEqual(2);
    const content = [
      { type: 'tool_result', tool_use_id: 'x', content: '20' },
      { type: 'text', text: 'Reminder' },
    ];
    messages.push({ role: 'assistant', content: first.content }, { role: 'user', content });
    expect(JSON.parse(await send())).toMatchObject({ stop_reason: 'end_turn' });
  });

  test('stream parallel calls apart, in every API', async () => {
    const { post } = await openModel({ tools: { calls: 2, parallel: true } });
    const own = { name: 'find', description: '', parameters: find.function.parameters };
    const bodies: [string, object][] = [
      ['/v1/chat/completions', { model: 'm', messages: [userMessage('Hi')], tools: [find] }],
      ['/v1/responses', { model: 'm', input: 'Hi', tools: [{ type: 'function', ...own }] }],
      [
        '/v1/messages',
        {
          model: 'm',
          max_tokens: 9,
          messages: [userMessage('Hi')],
          tools: [{ name: 'find', input_schema: own.parameters }],
        },
      ],
    ];
    const whole = [];
    const streamed = [];
    for (const [path, body] of bodies) {
      whole.push(argumentsOf(JSON.parse((await post(path, body)).body)));
      streamed.push(streamedArguments(dataIn((await post(path, { ...body, stream: true })).body)));
    }
    expect(whole.map(({ length }) => length)).toEqual([2, 2, 2]);
    for (const each of [...whole, ...streamed].flat())
      expect(JSON.parse(each)).toMatchObject({ city: expect.any(String) as string });
    expect(streamed.map(({ length }) => length)).toEqual([2, 2, 2]);
  });

  test('satisfy the requested format', async () => {
    const { chat, post } = await openModel();
    const schema = { type: 'object', properties: { mood: { enum: ['good'] } }, required: ['mood'] };
    const json = async (response_format: object) =>
      JSON.parse(completion(await chat({ response_format })).choices[0]?.message.content ?? '') as unknown;
    expect(await json({ type: 'json_schema', json_schema: { name: 'x', schema } })).toEqual({ mood: 'good' });
    expect(await json({ type: 'json_object' })).toBeTypeOf('object');
    const reply = await post('/v1/responses', {
      model: 'm',
      input: 'Hi',
      text: { format: { type: 'json_schema', schema } },
    });
    expect(reply.body).toContain(JSON.stringify(JSON.stringify({ mood: 'good' })));
  });

  test('contain their unique word, which the end of the call reports', async () => {
    const { chat, ends } = await openModel({ delivered: true });
    const replies = [await chat(), await chat(), await chat({ stream: true })];
    const words = ends.map(({ word }) => word ?? '');
    expect(new Set(words).size).toBe(3);
    for (const word of words) expect(word).toMatch(/^word-[a-z2-7]{13}$/);
    expect(replies[1]?.body).toContain(words[1]);
    const text = dataIn(replies[2]?.body ?? '')
      .map((data) => JSON.stringify(data))
      .join('');
    expect(text).toContain(words[2]?.slice(5));
  });

  test('have as many choices and tokens as requested', async () => {
    const { chat, ends } = await openModel();
    const reply = completion(await chat({ n: 3, max_tokens: 4 }));
    expect(reply.choices.map(({ finish_reason }) => finish_reason)).toEqual(['length', 'length', 'length']);
    expect(reply.choices[0]?.message.content?.split(' ')).toHaveLength(4);
    expect(ends[0]?.usage?.outputTokens).toBe(12);
  });

  test('are decided by the place of a call in the run, not by its order of arrival', async () => {
    const text = async (order: readonly number[]) => {
      const { chat } = await openModel(
        {},
        { place: ({ userText }) => ({ session: Number(userText), turn: 1, call: 1 }) },
      );
      const texts: [number, string | null | undefined][] = [];
      for (const session of order)
        texts.push([
          session,
          completion(await chat({ messages: [userMessage(String(session))] })).choices[0]?.message.content,
        ]);
      return Object.fromEntries(texts);
    };
    const [one, other] = [await text([1, 2, 3]), await text([3, 1, 2])];
    expect(one).toEqual(other);
    expect(new Set(Object.values(one)).size).toBe(3);
  });
});

describe('conversations of Responses', () => {
  test('continue by response and by conversation', async () => {
    const { post, starts } = await openModel();
    const send = async (body: object) =>
      (JSON.parse((await post('/v1/responses', { model: 'm', ...body })).body) as { id: string }).id;
    const id = await send({ input: 'one two three' });
    await send({ input: 'four', previous_response_id: id });
    expect((starts[1]?.inputTokens ?? 0) - (starts[0]?.inputTokens ?? 0)).toBeGreaterThan(20);
    const { body } = await post('/v1/conversations', {});
    const conversation = (JSON.parse(body) as { id: string }).id;
    await send({ input: 'Hi', conversation });
    await send({ input: 'Hi', conversation: { id: conversation } });
    expect(starts[2]?.inputTokens).toBe(1);
    expect(starts[3]?.inputTokens).toBeGreaterThan(20);
  });
});

describe('embeddings', () => {
  test('are unit vectors that depend on the text alone, as numbers or base64', async () => {
    const { post } = await openModel();
    const embed = async (body: object) =>
      (
        JSON.parse((await post('/v1/embeddings', { model: 'm', dimensions: 8, ...body })).body) as {
          data: { embedding: number[] | string }[];
        }
      ).data.map(({ embedding }) => embedding);
    const [one, two, again] = (await embed({ input: ['a b', 'c', 'a b'] })) as number[][];
    expect(again).toEqual(one);
    expect(two).not.toEqual(one);
    expect(Math.hypot(...(one ?? []))).toBeCloseTo(1);
    const [text] = (await embed({ input: 'a b', encoding_format: 'base64' })) as string[];
    const bytes = Buffer.from(text ?? '', 'base64');
    expect([...Array(8).keys()].map((index) => bytes.readFloatLE(4 * index))).toEqual(one);
  });
});

/** Returns the text that an event adds, in any API. */
function deltaOf(event: unknown): string {
  const { choices, delta } = event as {
    choices?: { delta: { content?: string } }[];
    delta?: string | { text?: string };
  };
  return choices?.[0]?.delta.content ?? (typeof delta === 'object' ? delta.text : delta) ?? '';
}

interface Called {
  arguments?: string;
  input?: object;
  function?: Called;
}

/** Returns the arguments of the calls in a reply of any API, as JSON. */
function argumentsOf(reply: unknown): string[] {
  const { choices, output, content } = reply as {
    choices?: { message: { tool_calls: Called[] } }[];
    output?: Called[];
    content?: Called[];
  };
  const calls = choices?.[0]?.message.tool_calls ?? output ?? content ?? [];
  return calls.map((each) => each.arguments ?? each.function?.arguments ?? JSON.stringify(each.input));
}

/** Returns the same from the events of a stream. */
function streamedArguments(events: unknown[]): string[] {
  const texts = new Map<number, string>();
  for (const event of events as {
    choices?: { delta: { tool_calls?: { index: number; function: { arguments: string } }[] } }[];
    type?: string;
    index?: number;
    output_index?: number;
    delta?: string | { partial_json?: string };
  }[]) {
    const called = event.choices?.[0]?.delta.tool_calls?.[0];
    const index = called?.index ?? event.output_index ?? event.index ?? 0;
    const isDelta = event.type === 'response.function_call_arguments.delta' || event.type === 'content_block_delta';
    const delta = typeof event.delta === 'object' ? event.delta.partial_json : event.delta;
    const text = called?.function.arguments ?? (isDelta ? delta : undefined);
    if (text !== undefined) texts.set(index, (texts.get(index) ?? '') + text);
  }
  return [...texts.values()];
}
