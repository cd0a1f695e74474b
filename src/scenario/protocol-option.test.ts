import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../base/errors.ts';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import { protocolNames } from '../protocol/registry/registry.ts';
import { protocolOption } from './protocol-option.ts';

const unknown = (name: string): string => `unknown protocol '${name}': known are ${protocolNames.join(', ')}`;

describe('the protocol of a target', () => {
  test.each(protocolNames)('%s is recognized by its name', (name) =>
    expect(protocolOption.parse(name)).toMatchObject({ name }),
  );

  test.each([
    ['openai-chats', "unknown protocol 'openai-chats': did you mean 'openai-chat'?"],
    ['anthropic', "unknown protocol 'anthropic': did you mean 'anthropic-messages'?"],
    ['claude', "unknown protocol 'claude': did you mean 'anthropic-messages'?"],
    ['openai', "unknown protocol 'openai': did you mean 'openai-chat'?"],
    ['GPT', "unknown protocol 'GPT': did you mean 'openai-chat'?"],
    ['vllm', "unknown protocol 'vllm': did you mean 'openai-chat'?"],
    ['responses', "unknown protocol 'responses': did you mean 'openai-responses'?"],
    ['minitel', `${unknown('minitel')}. Describe another API with defineProtocol (docs/reference/protocols.md)`],
    [
      'constructor',
      `${unknown('constructor')}. Describe another API with defineProtocol (docs/reference/protocols.md)`,
    ],
  ])('%s is none', (name, message) =>
    expect(protocolOption.safeParse(name).error?.issues).toMatchObject([{ message }]),
  );
});

const message = { path: '/ask', body: () => ({}) };
const reply = { text: 'answer' };

/** Returns the lines of the refusal of a definition; none: it is accepted. */
function problemsOf(protocol: unknown, target: object = {}): string[] {
  try {
    const scenario = { name: 'x', messages: ['Hi'], sessions: 1, target: { protocol, ...target } };
    resolveScenario(scenario, { flags: {}, environment: {} });
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    return thrown.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

describe('a defined protocol', () => {
  test('is taken as a message and a reply alone', () => {
    expect(problemsOf({ message, reply })).toEqual([]);
  });

  test('is rejected with all of its problems at once, each with its path', () => {
    const definition = {
      name: 'web hook',
      histroy: 'client',
      authorize: 'Bearer',
      createSession: { path: 'sessions', methd: 'PUT' },
      message: { path: '/{{sesionId}}/ask', method: 'post', body: { text: 1 }, headers: { Host: 'a' } },
      reply: { text: 'a..b', usage: { input: 'a' } },
      poll: { url: {}, every: '5', status: 99 },
      stream: { format: 'ndjson', end: 7 },
      errors: {},
    };
    expect(problemsOf(definition)).toEqual([
      'target.protocol.name: expected letters, digits and -, at most 40, got "web hook"',
      'target.protocol.authorize: expected a function of the API key, got "Bearer"',
      'target.protocol.createSession.path: expected a path that begins with \'/\', got "sessions"',
      "target.protocol.createSession: unknown key 'methd': did you mean 'method'?",
      'target.protocol.message.method: expected a method in capitals, such as \'PUT\', got "post"',
      "target.protocol.message.path: unknown name 'sesionId': did you mean 'sessionId'?, got \"/{{sesionId}}/ask\"",
      'target.protocol.message.headers: contains the header field Host, which is set by chat-load',
      'target.protocol.message.body: expected a function of the message, such as ({ message }) => ({ text: message })',
      'target.protocol.reply.text: expected a dotted path such as \'data.text\', or a function of the body, got "a..b"',
      "target.protocol.reply.usage: unknown key 'input': known are inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens, reasoningTokens",
      "target.protocol.poll.url: expected a dotted path such as 'data.id', { header: 'Location' }, or a function of the body",
      'target.protocol.poll.status: must be at least 200, got 99',
      "target.protocol.poll.every: expected a duration such as '250ms', '2s' or '10m', got \"5\": write '5s' for 5 seconds, '5ms' for milliseconds",
      "target.protocol.stream.format: unknown format 'ndjson': did you mean 'json-lines'?",
      "target.protocol.stream.end: expected a dotted path to a field that is true in the last event, 'close', '[DONE]', { event: 'done' }, or a function of the event, got 7",
      'target.protocol.errors: expected a function of status and body',
      "target.protocol: unknown key 'histroy': did you mean 'history'?",
    ]);
  });

  test('needs a message, the place of its reply, and the end of a stream', () => {
    expect(problemsOf({ reply: {}, stream: { format: 'sse' } })).toEqual([
      'target.protocol.message: is required (an object)',
      "target.protocol.reply.text: is required (a dotted path such as 'data.text', or a function of the body)",
      "target.protocol.stream.end: is required (a dotted path to a field that is true in the last event, 'close', '[DONE]', { event: 'done' }, or a function of the event)",
    ]);
  });

  test('needs a reply unless it only streams, and then the text of an event', () => {
    const sse = { format: 'sse', end: '[DONE]' };
    expect(problemsOf({ message })).toEqual([
      "target.protocol.reply: is required ({ text: 'data.text' }), unless stream is set",
    ]);
    expect(problemsOf({ message, stream: sse })).toEqual([
      'target.protocol.stream.text: is required without reply: where the text of an event is found',
    ]);
    expect(problemsOf({ message, stream: { ...sse, text: 'delta' }, poll: { url: 'status_url' } })).toEqual([
      'target.protocol.poll: needs reply: a streamed reply is not polled',
    ]);
    expect(problemsOf({ message, stream: { ...sse, text: 'delta' } }, { stream: true })).toEqual([]);
  });

  test('describes the problems of a reply after an acknowledgement', () => {
    const call = (): undefined => undefined;
    const poll = { request: call, done: call, text: call };
    expect(problemsOf({ message, reply: { then: { poll: { request: '/runs', every: '5', don: call } } } })).toEqual([
      'target.protocol.reply.then.poll.request: expected a function of the replies so far, such as ([ack]) => ({ path: [\'runs\', ack.id] }), got "/runs"',
      "target.protocol.reply.then.poll.every: expected a duration such as '250ms', '2s' or '10m', got \"5\": write '5s' for 5 seconds, '5ms' for milliseconds",
      "target.protocol.reply.then.poll.done: is required (a function of the replies so far, such as (replies) => replies.at(-1)?.status === 'completed')",
      'target.protocol.reply.then.poll.text: is required (a function of the replies so far, such as (replies) => replies.at(-1)?.answer)',
      "target.protocol.reply.then.poll: unknown key 'don': did you mean 'done'?",
    ]);
    expect(problemsOf({ message, reply: { then: { pol: poll } } })).toEqual([
      "target.protocol.reply.then: unknown key 'pol': did you mean 'poll'?",
      'target.protocol.reply.then: requires either poll or listen',
    ]);
    expect(problemsOf({ message, reply: { then: { poll }, text: 'a', format: 'text' }, poll: { url: 'a' } })).toEqual([
      'target.protocol.reply.text: may not be set with reply.then: use the text of reply.then',
      "target.protocol.reply.format: is 'json' with reply.then: omit it",
      'target.protocol.poll: may not be set with reply.then, which has its own polls: omit one of them',
    ]);
    const stream = { format: 'sse', text: 'delta', end: '[DONE]' };
    expect(problemsOf({ message, reply: { then: { poll }, usage: call }, stream })).toEqual([
      'target.protocol.stream: may not be set with reply.then, whose functions read other replies: omit one of them, and describe the streamed API in a definition of its own',
    ]);
    expect(problemsOf({ message, reply: { then: { poll } } })).toEqual([]);
    const listen = { connect: call, match: call, text: 'text', end: 'last' };
    for (const then of [{}, { poll, listen }])
      expect(problemsOf({ message, reply: { then } })).toEqual([
        'target.protocol.reply.then: requires either poll or listen',
      ]);
    expect(problemsOf({ message, reply: { then: { listen: { ...listen, end: 'close', mach: call } } } })).toEqual([
      expect.stringMatching(
        /^target\.protocol\.reply\.then\.listen\.end: expected .* the stream stays open after a reply/,
      ),
      "target.protocol.reply.then.listen: unknown key 'mach': did you mean 'match'?",
    ]);
    expect(problemsOf({ message, reply: { then: { listen } } })).toEqual([]);
  });

  test('describes the problems of a WebSocket on which replies arrive', () => {
    const call = (): undefined => undefined;
    const listen = { connect: call, match: call, text: 'text', end: 'last' };
    const only = { ready: 'ready', pingInterval: '20s', closeCodes: { 4000: 'rate_limited' } };
    const problems = (given: object): string[] =>
      problemsOf({ message, reply: { then: { listen: { ...listen, ...given } } } }).map((line) =>
        line.replace('target.protocol.reply.then.listen.', ''),
      );
    expect(problems({ transport: 'websocket', ...only })).toEqual([]);
    expect(problems({ transport: 'sse' })).toEqual([]);
    expect(problems(only)).toEqual([
      "ready: requires transport: 'websocket'",
      "pingInterval: requires transport: 'websocket'",
      "closeCodes: requires transport: 'websocket'",
    ]);
    expect(problems({ transport: 'websocket', end: { event: 'done' } })).toEqual([
      "end: may not be the type of an event with transport: 'websocket', whose frames have none: set a path or a function",
    ]);
    expect(problems({ transport: 'websocket', closeCodes: { 4000: 'busy' }, pingInterval: '5' })).toEqual([
      expect.stringMatching(/^pingInterval: expected a duration/),
      expect.stringMatching(/^closeCodes: unknown class 'busy'/),
    ]);
    for (const transport of ['websockets', 'ws', 'WebSocket'])
      expect(problems({ transport })).toEqual([
        `transport: unknown transport '${transport}': did you mean 'websocket'?`,
      ]);
  });

  test("must define the path of a created session's id, unless cookies are the session", () => {
    const createSession = { path: '/start' };
    expect(problemsOf({ createSession, message, reply })).toEqual([
      "target.protocol.createSession.sessionId: is required (where the session's id is found), unless cookies: true makes the cookies the session",
    ]);
    expect(problemsOf({ createSession, cookies: true, message, reply })).toEqual([]);
  });

  test('may not take the name of another protocol', () => {
    expect(problemsOf({ name: 'openai-chat', message, reply })).toEqual([
      'target.protocol.name: is the name of another protocol, got "openai-chat"',
    ]);
  });

  test('may not have async functions', () => {
    expect(problemsOf({ message: { path: '/ask', body: async () => Promise.resolve({}) }, reply })).toEqual([
      expect.stringMatching(/^target\.protocol\.message\.body: is an async function/),
    ]);
  });
});

describe('a word of a definition', () => {
  const text = 'delta';
  test.each([
    [{ format: 'sse', text, end: 'done' }],
    [{ format: 'sse', text, end: 'finished' }],
    [{ format: 'sse', text, end: 'is_closed' }],
    [{ format: 'sse', text, end: 'choices.0.close' }],
    [{ format: 'sse', text, end: 'last' }],
    [{ format: 'sse', text, end: 'close' }],
    [{ format: 'sse', data: 'text', end: '[DONE]' }],
    [{ format: 'json-lines', data: 'text', end: (line: string) => line === '.' }],
    [{ format: 'text' }],
    [{ format: 'text', end: 'close', data: 'text', text: (piece: string) => piece.trim() }],
    [{ format: 'sse', text: 'parts.*.text', end: { event: 'stop' } }],
  ])('is taken: %j', (stream) => expect(problemsOf({ message, stream })).toEqual([]));

  test.each<[object, string]>([
    [{ end: 'closed' }, "end: unknown word 'closed': did you mean 'close'?"],
    [{ end: 'Close' }, "end: unknown word 'Close': did you mean 'close'?"],
    [{ end: 'clsoe' }, "end: unknown word 'clsoe': did you mean 'close'?"],
    [{ end: 'DONE' }, "end: unknown word 'DONE': did you mean '[DONE]'?"],
    [{ end: '[done]' }, "end: unknown word '[done]': did you mean '[DONE]'?"],
    [{ end: 'data: [DONE]' }, "end: unknown word 'data: [DONE]': did you mean '[DONE]'?"],
    [{ end: { evnet: 'x' } }, "end: unknown key 'evnet': did you mean 'event'?"],
    [{ format: 'jsonlines' }, "format: unknown format 'jsonlines': did you mean 'json-lines'?"],
    [{ format: 'SSE' }, "format: unknown format 'SSE': did you mean 'sse'?"],
    [{ format: 'plain' }, "format: unknown format 'plain': did you mean 'text'?"],
    [{ data: 'txt' }, "data: unknown data 'txt': did you mean 'text'?"],
    [{ data: 'text' }, "text: may not be a path with stream.data: 'text': a text has no fields"],
    [{ data: 'text', text: undefined, end: 'done' }, "end: may not be a path with stream.data: 'text'"],
    [{ format: 'text', text: undefined, end: '[DONE]' }, "end: is 'close' with stream.format: 'text': omit it"],
    [
      { format: 'text', text: undefined, end: 'close', data: 'json' },
      "data: is 'text' with stream.format: 'text': omit it",
    ],
    [{ id: 'ids.*' }, 'id: expected a dotted path'],
  ])('is refused: %j', (wrong, problem) => {
    const [line = '', ...more] = problemsOf({ message, stream: { format: 'sse', text, end: '[DONE]', ...wrong } });
    expect(line).toContain(`target.protocol.stream.${problem}`);
    expect(more).toEqual([]);
  });

  test('of a reply that is text', () => {
    expect(problemsOf({ message, reply: { format: 'text' } })).toEqual([]);
    expect(problemsOf({ message, reply: { format: 'txt' } })[0]).toContain(
      "unknown format 'txt': did you mean 'text'?",
    );
    expect(problemsOf({ message, reply: { format: 'text', text: 'body' } })).toEqual([
      "target.protocol.reply.text: may not be a path with reply.format: 'text': a text has no fields. Omit it, or set a function of the text",
    ]);
  });
});

describe('the sessions of a definition', () => {
  const id = { path: '/s', values: { key: 'key' } };
  test.each([
    [{ sessionId: '{{uuid}}' }],
    [{ sessionId: 'u-{{run.id}}-{{session.number}}' }],
    [{ sessionId: '{{uuid}}', createSession: { path: '/s/{{sessionId}}' } }],
    [{ createSession: [id, { path: () => '/b', headers: { Authorization: '{{values.key}}' } }] }],
    [{ createSession: id, message: { path: '/m/{{values.key}}', headers: { 'X-Key': '{{values.key}}' } } }],
  ])('may be %j', (own) => expect(problemsOf({ message, reply, ...own })).toEqual([]));

  test.each([
    [
      { sessionId: 'me' },
      'target.protocol.sessionId: is the same in several sessions or runs: use {{uuid}}, or {{run.id}} with {{session.number}}, got "me"',
    ],
    [{ sessionId: '{{uid}}' }, "target.protocol.sessionId: unknown name 'uid': did you mean 'uuid'?, got \"{{uid}}\""],
    [{ createSession: [] }, 'target.protocol.createSession: expected at least one request'],
    [
      { createSession: [id, { paht: '/b', path: '/b' }] },
      "target.protocol.createSession[1]: unknown key 'paht': did you mean 'path'?",
    ],
    [
      { createSession: id, message: { path: '/{{values.kye}}' } },
      "target.protocol.message: unknown value 'values.kye': did you mean 'values.key'?",
    ],
    [
      { message: { path: '/', headers: { Authorization: 'x' } } },
      'target.protocol.message.headers: contains the header field Authorization, which is set by authorize',
    ],
  ])('may not be %j', (own, problem) => expect(problemsOf({ message, reply, ...own })).toEqual([problem]));
});

describe('a defined protocol over WebSocket', () => {
  const socket = {
    transport: 'websocket',
    connect: { path: '/ws' },
    send: () => ({}),
    read: { text: 'text', end: 'done' },
  };

  test('is taken as a path, the frames of a turn and the place of a reply', () => {
    expect(problemsOf(socket)).toEqual([]);
    expect(
      problemsOf({ ...socket, connect: { path: '/ws?key={{apiKey}}', subprotocols: ['key.{{apiKey}}'] } }),
    ).toEqual([]);
  });

  test('is rejected with all of its problems at once, each with its path', () => {
    const definition = {
      transport: 'websocket',
      message,
      connect: {
        path: 'ws',
        headers: { Upgrade: 'websocket' },
        subprotocols: ['a b'],
        frames: {},
        redy: 'type',
        sessionId: 'id',
        pingInterval: '5',
      },
      send: {},
      read: { text: 'a..b', end: { event: 'done' } },
      match: 7,
      cancel: 'stop',
      closeCodes: { 4000: 'not_fond' },
    };
    expect(problemsOf(definition)).toEqual([
      'target.protocol.connect.path: expected a path that begins with \'/\', got "ws"',
      'target.protocol.connect.headers: contains the header field Upgrade, which is set by chat-load',
      "target.protocol.connect.subprotocols: expected a list of names such as ['chat.v1'], which may contain {{apiKey}}, or a function that returns it",
      'target.protocol.connect.frames: expected a function of the session',
      "target.protocol.connect.pingInterval: expected a duration such as '250ms', '2s' or '10m', got \"5\": write '5s' for 5 seconds, '5ms' for milliseconds",
      "target.protocol.connect: unknown key 'redy': did you mean 'ready'?",
      'target.protocol.send: expected a function of the message, such as ({ message }) => ({ text: message })',
      'target.protocol.read.text: expected a dotted path such as \'delta.text\', or a function of the event, got "a..b"',
      "target.protocol.read.end: expected a dotted path to a field that is true in the last frame, or a function of the frame: a closed socket ends no reply, and '[DONE]' is no frame in JSON",
      "target.protocol.match: expected a dotted path such as 'delta.text', or a function of the event, got 7",
      'target.protocol.cancel: expected a function of the id of the attempt, got "stop"',
      "target.protocol.closeCodes: unknown class 'not_fond': did you mean 'not_found'?",
      "target.protocol: unknown key 'message': known are name, history, authorize, transport, connect, send, read, match, cancel, closeCodes, errors",
    ]);
  });

  test.each<[string, object, string]>([
    [
      'an id without its frame',
      { connect: { path: '/ws', sessionId: 'id' } },
      'target.protocol.connect.sessionId: requires connect.ready: the id is found in that frame',
    ],
    [
      'the end of a stream over HTTP',
      { read: { text: 'text', end: 'close' } },
      'target.protocol.read.end: expected a dotted path to a field that is true in the last frame, or a function of the frame: a closed socket ends no reply, and \'[DONE]\' is no frame in JSON, got "close"',
    ],
    [
      'a code that no socket has',
      { closeCodes: { 999: 'not_found' } },
      'target.protocol.closeCodes: unknown close code 999: codes are from 1000 to 4999',
    ],
    [
      'another transport',
      { transport: 'grpc' },
      'target.protocol.transport: expected \'websocket\'; omit it for requests over HTTP, got "grpc"',
    ],
  ])('may not have %s', (_, changes, problem) => {
    expect(problemsOf({ ...socket, ...changes })).toEqual([problem]);
  });

  test('has no options of HTTP', () => {
    const target = {
      http2: true,
      baseUrl: 'https://127.0.0.1',
      auth: 'none',
      messagesPath: '/x',
      messageBody: { a: 1 },
      stream: false,
    };
    expect(problemsOf(socket, target)).toEqual([
      'target.stream: the protocol defined only streams: omit the option, or set it to true',
      'target.http2: defined is a protocol over WebSocket, which chat-load opens only over HTTP/1.1',
      'target.messagesPath: defined is a protocol over WebSocket: set connect.path',
      'target.messageBody: defined is a protocol over WebSocket: its frames are made by send',
    ]);
  });
});

describe('target.stream', () => {
  test('is rejected for a protocol that does not support streamed replies', () => {
    expect(problemsOf({ message, reply }, { stream: true })).toEqual([
      'target.stream: the protocol defined does not support streamed replies',
    ]);
    expect(problemsOf('chat-messaging', { stream: true })).toEqual([
      'target.stream: the protocol chat-messaging does not support streamed replies',
    ]);
  });

  test('cannot be off for a protocol that only streams', () => {
    const stream = { format: 'sse', text: 'delta', end: '[DONE]' };
    expect(problemsOf({ message, stream }, { stream: false })).toEqual([
      'target.stream: the protocol defined only streams: omit the option, or set it to true',
    ]);
  });

  test('is accepted for a protocol that defines how they are read', () => {
    expect(problemsOf({ message, reply, stream: { format: 'sse', end: '[DONE]' } }, { stream: true })).toEqual([]);
  });
});

describe('options of a target that its protocol does not take', () => {
  test.each<[object, ...string[]]>([
    [{ instructions: 'Be kind.' }, 'target.instructions: chat-messaging does not support them'],
    [{ messagesPath: '/x' }, 'target.messagesPath: the path of chat-messaging is fixed'],
    [{ messageBody: { temperature: 0 } }, 'target.messageBody: the fields of chat-messaging are fixed'],
    [{ conversation: 'conversation' }, 'target.conversation: is only an option of openai-responses'],
    [
      { protocol: 'openai-chat', messageBody: { model: 'm', stream: true, seed: 1 } },
      'target.messageBody.model: is written by the protocol openai-chat: set target.agentId',
      'target.messageBody.stream: is written by the protocol openai-chat: set target.stream',
    ],
  ])('are rejected: %j', (target, ...problems) => {
    const lines = linesOf({ target });
    expect(problems.filter((problem) => !lines.includes(problem))).toEqual([]);
  });
});

describe('options without an effect on their target', () => {
  const target = { protocol: 'openai-chat' };
  test.each<[object, string]>([
    [
      { target, stallTimeout: '5s' },
      'stallTimeout: requires target.stream: a non-streamed reply has no further content',
    ],
    [{ target, objective: { gap: '1s' } }, 'objective.gap: requires target.stream: a non-streamed reply has no gaps'],
    [
      { target: { ...target, instructions: 'You help {{nam}}.' }, variableValues: { name: 'Ada' } },
      "target.instructions: unknown variable 'nam': did you mean 'name'?",
    ],
  ])('are rejected: %j', (given, problem) => expect(linesOf(given)).toContain(problem));

  test('a repeated name is one problem', () => {
    const instructions = 'You help {{nam}}, {{nam}}.';
    expect(linesOf({ target: { ...target, instructions } }).match(/'nam'/g)).toHaveLength(1);
  });

  test.each<[object]>([
    [{ target: { ...target, stream: true }, stallTimeout: '5s', objective: { gap: '1s', firstToken: '1s' } }],
    [{ target, objective: { firstToken: '1s' } }],
    [{ target: { ...target, instructions: 'You help {{name}}.' }, variableValues: { name: 'Ada' } }],
  ])('are accepted: %j', (given) => expect(linesOf(given)).toBe(''));
});

/** Returns the problems of a scenario; '' if there are none. */
function linesOf(given: object): string {
  try {
    resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1, ...given }, { flags: {}, environment: {} });
    return '';
  } catch (thrown) {
    return String(thrown);
  }
}
