import { describe, expect, test } from 'vitest';
import { datasetFormats, recognize } from './recognize.ts';
import { type FormatName } from './format.ts';
import type { Fields, Reading } from './format.ts';

function readAll(format: FormatName, records: readonly Fields[]): Reading[] {
  const reader = datasetFormats[format].open();
  return [...records.flatMap((record, index) => reader.read(record, index + 1)), ...reader.end()];
}

/** Returns the messages of a form, as `role: text`. */
const saidIn = (format: FormatName, ...records: readonly Fields[]): unknown[] =>
  readAll(format, records).map((reading) =>
    'problem' in reading
      ? reading.problem
      : reading.conversation.messages.filter(({ text }) => text !== '').map(({ role, text }) => `${role}: ${text}`),
  );

/** Records as in the dataset cards and API references, with made-up texts. */
const published: Readonly<Record<FormatName, readonly Fields[]>> = {
  sharegpt: [
    {
      id: 'QWJhYvA_0',
      conversations: [
        { from: 'human', value: 'Are you there?' },
        { from: 'gpt', value: 'I am.' },
      ],
    },
  ],
  lmsys: [
    {
      conversation_id: '33f01939a744455c869cb234afca47f1',
      model: 'wizardlm-13b',
      conversation: [
        { content: 'how can identity protection services help?', role: 'user' },
        { content: 'They watch accounts.', role: 'assistant' },
      ],
      turn: 1,
      language: 'English',
      openai_moderation: [{ flagged: false }, { flagged: false }],
      redacted: false,
    },
  ],
  wildchat: [
    {
      conversation_hash: 'cf1267ca6b2f6fccc9c36652a00059a1',
      model: 'gpt-4-0314',
      timestamp: '2023-04-09T00:00:53Z',
      conversation: [
        { content: 'Hey there!', country: 'Spain', hashed_ip: '22fd', role: 'user', toxic: false, turn_identifier: 1 },
        { content: 'Hello!', role: 'assistant', toxic: false, turn_identifier: 1 },
      ],
      turn: 1,
      language: 'Spanish',
      toxic: false,
      redacted: false,
      state: 'Madrid',
      country: 'Spain',
      hashed_ip: '22fd',
      header: { 'accept-language': 'es', 'user-agent': 'Mozilla/5.0' },
    },
  ],
  openai: [
    {
      messages: [
        { role: 'system', content: 'You are a bot.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look: ' },
            { type: 'image_url', image_url: { url: 'x' } },
          ],
        },
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'see', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'a cat' },
        { role: 'assistant', content: 'A cat.', weight: 0 },
      ],
      tools: [{ type: 'function', function: { name: 'see' } }],
    },
  ],
  anthropic: [
    {
      model: 'claude-sonnet',
      max_tokens: 1024,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 't', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: '9 °C' }] }],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'Nine degrees.' }] },
      ],
    },
  ],
  'claude-export': [
    {
      uuid: '8f3a2b1c',
      name: 'Parcels',
      account: { uuid: 'personal' },
      chat_messages: [
        { uuid: 'm', sender: 'human', text: 'Hi', content: [{ type: 'text', text: 'Hi' }], attachments: [] },
        { uuid: 'n', sender: 'assistant', text: 'Hello', content: [], files: [] },
      ],
    },
  ],
  'chat-load': [
    {
      kind: 'chat-load/result',
      examples: [
        { session: 2, turn: 2, texts: { message: 'And now?', reply: '' } },
        { session: 2, turn: 1, texts: { message: 'Where is it?', reply: 'oops' } },
        { session: 3, turn: 0, texts: null },
      ],
    },
  ],
  rows: [
    { conversation_id: 'a', role: 'user', content: 'One' },
    { conversation_id: 'a', role: 'assistant', content: 'Two' },
    { conversation_id: 'b', role: 'user', content: 'Three' },
  ],
  pairs: [
    { ticket_id: 7, incoming: 'One', outgoing: 'Two', tags: [] },
    { ticket_id: 7, incoming: 'Three', outgoing: null, tags: [] },
    { ticket_id: 8, incoming: 'Four', outgoing: 'Five', tags: [] },
  ],
};

const said: Readonly<Record<FormatName, unknown>> = {
  sharegpt: [['user: Are you there?', 'assistant: I am.']],
  lmsys: [['user: how can identity protection services help?', 'assistant: They watch accounts.']],
  wildchat: [['user: Hey there!', 'assistant: Hello!']],
  openai: [['system: You are a bot.', 'user: Look: ', 'tool: a cat', 'assistant: A cat.']],
  anthropic: [['system: Be brief.', 'user: Weather?', 'assistant: I look.', 'tool: 9 °C', 'assistant: Nine degrees.']],
  'claude-export': [['user: Hi', 'assistant: Hello']],
  'chat-load': [['user: Where is it?', 'assistant: oops', 'user: And now?']],
  rows: [['user: One', 'assistant: Two'], ['user: Three']],
  pairs: [
    ['user: One', 'assistant: Two', 'user: Three'],
    ['user: Four', 'assistant: Five'],
  ],
};

describe.each(Object.keys(published) as FormatName[])('the form %s', (format) => {
  test('is recognized as it is published', () => {
    expect(recognize('f', published[format])).toBe(format);
  });

  test('returns only the messages', () => {
    expect(saidIn(format, ...published[format])).toEqual(said[format]);
  });

  test('keeps nothing of a record but its id, language and messages', () => {
    for (const reading of readAll(format, published[format]))
      expect(Object.keys('conversation' in reading ? reading.conversation : {})).toEqual(
        expect.arrayContaining(['messages']),
      );
    expect(JSON.stringify(readAll(format, published[format]))).not.toMatch(/22fd|Spain|Mozilla|personal|Parcels/);
  });

  test.each([
    ['nothing', {}],
    ['null', { messages: null, conversations: null, conversation: null, chat_messages: null, id: null, role: null }],
    ['numbers', { messages: 1, conversations: 2, conversation: 3, chat_messages: 4, id: 5, role: 6 }],
    ['lists of nulls', { messages: [null], conversations: [null], conversation: [null], chat_messages: [null] }],
    [
      'keys of the prototype',
      JSON.parse('{"__proto__": {"messages": [{"role": "user", "content": "x"}]}, "constructor": 1}') as Fields,
    ],
  ])('refuses a record with %s instead of its data', (_, record) => {
    expect(datasetFormats[format].fit(record)).toBe('no');
    for (const reading of readAll(format, [record])) expect(reading).toHaveProperty('problem');
  });
});

describe('a form', () => {
  const asked = { messages: [{ role: 'user', content: 'a' }] };

  test.each<[FormatName, string, Fields, string[]]>([
    [
      'openai',
      'preferences',
      {
        input: asked,
        preferred_output: [{ role: 'assistant', content: 'b' }],
      },
      ['user: a', 'assistant: b'],
    ],
    ['openai', 'a line of a batch', { custom_id: '7', url: '/v1', body: asked }, ['user: a']],
    ['anthropic', 'a line of a batch', { custom_id: '7', params: asked }, ['user: a']],
    [
      'anthropic',
      'a transcript',
      {
        request: asked,
        response: { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      },
      ['user: a', 'assistant: b'],
    ],
  ])('%s may be %s', (format, _, record, expected) => {
    expect(recognize('f', [record])).toBe(format);
    expect(saidIn(format, record)).toEqual([expected]);
  });

  test('of ShareGPT may have a system message, tool calls, and roles by other names', () => {
    const record = {
      system: 'Be kind.',
      conversations: [
        { from: 'human', value: 'a' },
        { from: 'function_call', value: '{}' },
        { from: 'observation', value: 'b' },
        { from: 'chatgpt', value: 'c' },
      ],
    };
    expect(saidIn('sharegpt', record)).toEqual([['system: Be kind.', 'user: a', 'tool: b', 'assistant: c']]);
    expect(saidIn('sharegpt', { conversations: [{ role: 'USER', content: 'a' }] })).toEqual([['user: a']]);
  });

  test('names an unknown role', () => {
    const [reading] = readAll('openai', [{ messages: [{ role: 'wizard', content: 'a' }] }]);
    expect(reading).toEqual({ place: 1, problem: 'unknownRole', detail: "a message of the role 'wizard'" });
  });

  test('of rows ends a conversation if another begins, and fails as a whole', () => {
    const row = (id: string, role: string): Fields => ({ id, role, text: 'x' });
    expect(saidIn('rows', row('a', 'user'), row('b', 'wizard'), row('b', 'user'), row('a', 'user'))).toEqual([
      ['user: x'],
      'unknownRole',
      ['user: x'],
    ]);
  });

  test('of a journal collects the texts kept in its lines', () => {
    const line = (entry: object): Fields => ({ sum: '1c291ca3', entry });
    const interval = (turn: number, message: string): Fields =>
      line({ kind: 'interval', piece: { examples: [{ session: 1, turn, texts: { message, reply: 'no' } }] } });
    const journal = [line({ kind: 'chat-load/journal' }), interval(1, 'a'), interval(1, 'again'), interval(2, 'b')];
    expect(recognize('f', journal)).toBe('chat-load');
    expect(saidIn('chat-load', ...journal)).toEqual([['user: again', 'assistant: no', 'user: b', 'assistant: no']]);
  });

  test('of a result without texts explains how to keep them', () => {
    const reading = readAll('chat-load', [
      { kind: 'chat-load/result', examples: [{ session: 1, turn: 1, texts: null }] },
    ]);
    expect(reading).toEqual([expect.objectContaining({ detail: expect.stringContaining('keepTexts') as string })]);
  });
});

describe('a file', () => {
  const plain = { messages: [{ role: 'user', content: 'a' }] };

  test("of messages that may be of either API is read as OpenAI's, including our own", () => {
    expect(recognize('f', [plain, { id: '1', language: 'en', ...plain }])).toBe('openai');
  });

  test('is of the form that one of its records is certainly of', () => {
    expect(recognize('f', [plain, ...published.anthropic])).toBe('anthropic');
    expect(recognize('f', [plain, ...published.openai])).toBe('openai');
  });

  test('with records of several forms is rejected with the number of each', () => {
    expect(() => recognize('f.json', [...published.sharegpt, ...published.lmsys])).toThrow(
      'f.json may be of several forms: sharegpt (1 of its first 2 records), lmsys (1 of its first 2 records).',
    );
  });

  test('of an unknown form is rejected with its fields, without values', () => {
    const record = { prompt: 'secret', 'na\u001b[2Jme': 1 };
    expect(() => recognize('f.json', [record])).toThrow(
      'f.json has none of the known forms: its first record is an object with prompt, na [2Jme.',
    );
    expect(() => recognize('f.json', [])).toThrow('its first record is missing');
    expect(() => recognize('f.json', [[1]])).toThrow('its first record is a list');
  });
});

describe('tables by the names of their columns', () => {
  test.each<[string, FormatName, Fields[], string[][]]>([
    [
      'an export of a help desk, in other cases',
      'pairs',
      [
        { 'Ticket ID': '1', Incoming: 'a', OUTGOING: 'b' },
        { 'Ticket ID': '1', Incoming: 'c', OUTGOING: 'd' },
      ],
      [['user: a', 'assistant: b', 'user: c', 'assistant: d']],
    ],
    [
      'pairs without a conversation',
      'pairs',
      [
        { 'Incoming message': 'a', 'Outgoing message': 'b' },
        { 'Incoming message': 'c', 'Outgoing message': '' },
      ],
      [['user: a', 'assistant: b'], ['user: c']],
    ],
    ['questions and answers', 'pairs', [{ question: 'a', answer: 'b' }], [['user: a', 'assistant: b']]],
    [
      'messages by their direction',
      'rows',
      [
        { Ticket: 1, Direction: 'Incoming', Body: 'a' },
        { Ticket: 1, Direction: 'Outgoing', Body: 'b' },
      ],
      [['user: a', 'assistant: b']],
    ],
  ])('%s', (_, format, records, expected) => {
    expect(recognize('f', records)).toBe(format);
    expect(saidIn(format, ...records)).toEqual(expected);
  });

  test('are not recognized if there is half a pair, or a list of messages', () => {
    expect(() => recognize('f', [{ incoming: 'a', reply: 'b' }])).toThrow('an object with incoming, reply');
    expect(recognize('f', [{ prompt: 'a', response: 'b', messages: [{ role: 'user', content: 'c' }] }])).toBe('openai');
  });

  test('are rejected with the option that names columns', () => {
    expect(() => recognize('f', [{ Ask: 'a', Reply: 'b' }])).toThrow(
      expect.objectContaining({
        message: 'f has none of the known forms: its first record is an object with Ask, Reply.',
        hint: expect.stringContaining('--columns user=incoming,assistant=outgoing') as string,
      }),
    );
  });
});
