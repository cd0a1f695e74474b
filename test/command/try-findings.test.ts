import { createServer as createHttpsServer } from 'node:https';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAuthority, requireOpenssl, type Identity } from '../support/certificate-authority.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { startCountingModel } from '../support/counting-model.ts';

interface Asked {
  stream?: boolean;
  messages: { content: string }[];
}

/** Answers a chat completion. */
type Answer = (asked: Asked, response: ServerResponse, number: number) => Promise<void> | void;

/** A chat completions server, over HTTPS with an identity. As a proxy it answers for any host. */
async function serve(answer: Answer, identity?: Identity): Promise<{ url: string; port: number }> {
  let count = 0;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (request.method !== 'POST' || request.url?.endsWith('/v1/chat/completions') !== true)
      return void response.writeHead(404).end();
    await answer(JSON.parse(body) as Asked, response, ++count);
  };
  const listener: RequestListener = (request, response) => void respond(request, response);
  const server = identity === undefined ? createServer(listener) : createHttpsServer(identity, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { url: `${identity === undefined ? 'http' : 'https'}://127.0.0.1:${String(port)}/v1`, port };
}

let ids = 0;
const bodyOf = (content: string, cachedTokens = 0): string =>
  JSON.stringify({
    id: `c${String(++ids)}`,
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: cachedTokens } },
  });

const json = { 'content-type': 'application/json' };
const lastOf = ({ messages }: Asked): string => messages.at(-1)?.content ?? '';
const plainly: Answer = ({ stream }, response, number) =>
  stream === true ? streamed(response, 0) : void response.writeHead(200, json).end(bodyOf(`Reply ${String(number)}.`));

/** Streams a reply of six events; a gap of 0 sends them at once. */
async function streamed(
  response: ServerResponse,
  gapMs: number,
  contents = ['One', ' two', ' three', ' four', ' five', ' six.'],
): Promise<void> {
  const id = `s${String(++ids)}`;
  const chunk = (delta: object, finish: string | null = null): string =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const chunks = contents.map((content) => chunk({ content }));
  const end = `${chunk({}, 'stop')}data: [DONE]\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (gapMs === 0) {
    await pass(60);
    return void response.end(chunks.join('') + end);
  }
  for (const each of chunks) {
    response.write(each);
    await pass(gapMs);
  }
  response.end(end);
}

const tryAt = (
  url: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> => performCommand(['try', '--url', url, '--model', 'm', '--protocol', 'openai-chat', ...words], env);

/** Tries the target of a scenario. */
async function tryScenario(body: string, by?: readonly string[]): Promise<Ended> {
  const folder = await makeFolder();
  await writeScenario(folder, body);
  const words = ['try', 'scenario.mjs'];
  return by === undefined ? performCommand(words, {}, folder) : runCommand(words, { cwd: folder, by });
}

/** A finding, its lines joined: its state and text. */
function findingOf({ stdout }: Ended, subject: string): string {
  const findings = stdout.slice(stdout.lastIndexOf('\nFINDINGS\n'), stdout.lastIndexOf('\nVERDICT\n'));
  const [, state = '', words = ''] =
    new RegExp(`^(pass|warn)  ${subject} +(.*(?:\\n {19}.*)*)`, 'm').exec(findings) ?? [];
  return `${state}: ${words.replace(/\n */g, ' ')}`;
}

/** Warnings never change the exit code. */
const expectFinding = (ended: Ended, subject: string, text: RegExp): void => {
  expect(findingOf(ended, subject)).toMatch(text);
  expect([ended.code, ended.stdout.trimEnd().endsWith('PASSED')]).toEqual([0, true]);
};

describe('a stream', () => {
  test('that arrives at once is buffered', async () => {
    const { url } = await serve((_, response) => streamed(response, 0));
    const ended = await tryAt(url, ['--stream']);
    expectFinding(
      ended,
      'stream',
      /^warn: all 6 events arrived together, after .*buffers the stream.*proxy_buffering off/,
    );
  });

  test('with the whole text in one event is none', async () => {
    const { url } = await serve((_, response) => streamed(response, 0, ['All of this is one event.']));
    expectFinding(await tryAt(url, ['--stream']), 'stream', /^warn: the whole text arrived in one event: nothing is/);
  });

  test('that arrives event by event is not', async () => {
    const { url } = await serve((_, response) => streamed(response, 15));
    expectFinding(await tryAt(url, ['--stream']), 'stream', /^pass: 6 events over .*: nothing buffers them$/);
  });

  test('is examined if it was not requested, and absent for a reply without events', async () => {
    const { url } = await serve(plainly);
    expectFinding(await tryAt(url), 'stream', /^warn: all 6 events/);
    const whole = await serve((_, response, number) => void response.writeHead(200, json).end(bodyOf(String(number))));
    expect(findingOf(await tryAt(whole.url), 'stream')).toBe(': ');
  });
});

describe('the history', () => {
  test('is questionable if no turn knows the one before, and whoever keeps it', async () => {
    const { url } = await serve(plainly);
    expectFinding(
      await tryAt(url),
      'history',
      /^warn: turn 3 does not repeat the code of turn 2: .* The request contains them/,
    );
    const folder = await makeFolder();
    const scenario = `import { defineProtocol } from 'chat-load';
const protocol = defineProtocol({
  name: 'forgets',
  message: { path: '/v1/chat/completions', body: ({ message }) => ({ messages: [{ content: message }] }) },
  reply: { text: 'choices.0.message.content' },
});
const target = { baseUrl: '${url.replace('/v1', '')}', auth: 'none', protocol };
export default { name: 'x', sessions: 4, messages: ['Hello?'], target };`;
    await writeFile(join(folder, 'scenario.mjs'), scenario);
    const kept = await performCommand(['try', 'scenario.mjs'], {}, folder);
    expectFinding(kept, 'history', /^warn: turn 3 does not .* each turn names the conversation/);
  });

  test('is not mentioned if the code is repeated', async () => {
    const { url } = await serve(({ messages }, response) => {
      const said = messages.map(({ content }) => content).join(' ');
      response.writeHead(200, json).end(bodyOf(`You said: ${said}`));
    });
    expect(findingOf(await tryAt(url), 'history')).toBe(': ');
  });
});

describe('sessions', () => {
  const tryDefined = async (fields: string, more = '', own = '', at?: string): Promise<Ended> => {
    const url = at ?? (await serve(plainly)).url;
    const folder = await makeFolder();
    const scenario = `import { defineProtocol } from 'chat-load';
const protocol = defineProtocol({
  ${fields}
  reply: { text: 'choices.0.message.content' },
});
const target = { baseUrl: '${url.replace('/v1', '')}', auth: 'none', ${own} protocol };
export default { name: 'x', sessions: 4, messages: ['Hello?'], ${more} target };`;
    await writeFile(join(folder, 'scenario.mjs'), scenario);
    return performCommand(['try', 'scenario.mjs'], {}, folder);
  };
  const message = (body: string): string =>
    `message: { path: '/v1/chat/completions', body: ({ message, sessionId, variables }) => (${body}) },`;

  const shared = "{ messages: [{ content: message }], user: 'u1' }";
  const isOne = /the requests have no session id, .* every session continues the same/;

  test.each([
    ['no id', message(shared), isOne],
    ['an id that no request sends', `sessionId: '{{uuid}}', ${message(shared)}`, isOne],
    [
      'one cookie',
      message(shared),
      /remove Cookie from target.headers and set cookies: true/,
      "headers: { Cookie: 'id=1' },",
    ],
  ])('that send the same request continue one conversation: %s', async (_, fields, expected, own = '') => {
    const { stdout } = await tryDefined(fields, '', own);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(expected);
  });

  test.each([
    ['are warned about', () => 'c-1', /^warn: two creations returned the same id, c-1: .*Use a key that may create/],
    ['are not mentioned if they differ', (number: number) => `c-${String(number)}`, /^: $/],
  ])('with one id of their creations %s', async (_, idOf, expected) => {
    const { url } = await serve((asked, response, number) => {
      if ('messages' in asked) return plainly(asked, response, number);
      response.writeHead(200, json).end(JSON.stringify({ id: idOf(number) }));
    });
    const fields = `createSession: { path: '/v1/chat/completions', sessionId: 'id' },
  ${message('{ messages: [{ content: message }], user: sessionId }')}`;
    expect(findingOf(await tryDefined(fields, '', '', url), 'sessions')).toMatch(expected);
  });

  test.each([
    ["sessionId: '{{uuid}}', " + message('{ messages: [{ content: message }], user: sessionId }'), ''],
    [
      message('{ messages: [{ content: message }], user: variables.id }'),
      'variableValues: { id: () => crypto.randomUUID() },',
    ],
    [`history: 'client', ${message('{ messages: [{ content: message }] }')}`, ''],
  ])('that differ are not mentioned: %s', async (fields, more) => {
    expect(findingOf(await tryDefined(fields, more), 'sessions')).toBe(': ');
  });
});

test('a stream whose end the definition does not recognize is no matter of the timeout first', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"text","text":"Hello."}\n\ndata: {"type":"over"}\n\n');
  });
  const folder = await makeFolder();
  const scenario = `import { defineProtocol } from 'chat-load';
const protocol = defineProtocol({
  name: 'endless',
  message: { path: '/v1/chat/completions', body: ({ message }) => ({ messages: [{ content: message }] }) },
  stream: { format: 'sse', text: 'text', end: ({ type }) => type === 'done' },
});
const target = { baseUrl: '${url.replace('/v1', '')}', auth: 'none', protocol, stream: true };
export default { name: 'x', sessions: 4, messages: ['Hello?'], timeout: '300ms', target };`;
  await writeFile(join(folder, 'scenario.mjs'), scenario);
  const { code, stdout } = await performCommand(['try', 'scenario.mjs'], {}, folder);
  expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([
    1,
    expect.stringMatching(
      /next step If the exchange above contains the whole reply, .* correct stream\.end\. .*--timeout/,
    ),
  ]);
});

const noSign = /^pass: no sign of one: a repeated question took .*, the fastest other turn /;

describe('a repeated question', () => {
  /** Thinks about a question once. */
  const remembering = (): Answer => {
    const known = new Set<string>();
    return async (asked, response) => {
      const question = `${String(asked.messages.length)} ${lastOf(asked)}`;
      if (!known.has(question)) await pass(600);
      known.add(question);
      response.writeHead(200, json).end(bodyOf(`You asked: ${question}`));
    };
  };
  const scenario = (url: string, message: string): string =>
    `{ name: 'x', sessions: 4, messages: ['${message}'], target: { baseUrl: '${url}', agentId: 'm', protocol: 'openai-chat', auth: 'none' } }`;

  test('that is much faster, with the same reply, shows a cache', async () => {
    const { url } = await serve(remembering());
    const ended = await tryScenario(scenario(url, 'Hello?'));
    expectFinding(
      ended,
      'cache',
      /^warn: a repeated question is answered from a cache: the same reply arrived in .*Make messages unique/,
    );
  });

  test('is no matter if the messages of the sessions differ', async () => {
    const { url } = await serve(remembering());
    const ended = await tryScenario(scenario(url, 'Hello {{session.number}}?'));
    expectFinding(ended, 'cache', /^pass: .*The first messages of the sessions differ$/);
  });

  test('that has a mark of a cache shows one', async () => {
    const { url } = await serve(
      (_, response, number) =>
        void response
          .writeHead(200, { ...json, 'x-cache': number > 4 ? 'Hit from cloudfront' : 'Miss' })
          .end(bodyOf(String(number))),
    );
    expectFinding(await tryAt(url), 'cache', /^warn: .*: it is marked x-cache: Hit from cloudfront/);
  });

  test('whose input is read from a cache shows one', async () => {
    const { url } = await serve(
      (_, response, number) => void response.writeHead(200, json).end(bodyOf(String(number), number > 4 ? 96 : 0)),
    );
    expectFinding(await tryAt(url), 'cache', /^warn: .*: 96 of its 100 input tokens were read from a cache/);
  });

  test('shows none if every reply takes as long, or only the first one was slow', async () => {
    const steady = await serve(async (asked, response) => {
      await pass(20);
      response.writeHead(200, { ...json, 'x-cache': 'MISS', age: '0' }).end(bodyOf(lastOf(asked)));
    });
    expectFinding(await tryAt(steady.url), 'cache', noSign);
    const cold = await serve(async (asked, response, number) => {
      await pass(number === 1 ? 200 : 20);
      response.writeHead(200, json).end(bodyOf(lastOf(asked)));
    });
    expectFinding(await tryAt(cold.url), 'cache', noSign);
  });

  test('shows none if replies to unique messages have the same marks', async () => {
    const marked = await serve((_, response, number) => {
      response.writeHead(200, { ...json, 'x-cache': 'Hit' }).end(bodyOf(String(number), 96));
    });
    expectFinding(await tryAt(marked.url), 'cache', noSign);
    const missing = await serve((_, response, number) => {
      response.writeHead(200, { ...json, 'x-cache': number > 4 ? 'NO-HIT' : '' }).end(bodyOf(String(number)));
    });
    expectFinding(await tryAt(missing.url), 'cache', noSign);
  });
});

describe('this machine', () => {
  const scenario = (url: string, load: string): string =>
    `{ name: 'x', duration: '10s', messages: ['a'], load: ${load}, target: { baseUrl: '${url}', agentId: 'm', protocol: 'openai-chat', auth: 'none' } }`;

  test('with few open files does not suffice for many connections', async () => {
    const { url } = await serve(plainly);
    const few = ['sh', '-c', 'ulimit -n 300 && exec "$0" "$@"'];
    const load = '{ concurrency: 1000 }';
    expectFinding(
      await tryScenario(scenario(url, load), few),
      'open files',
      /^warn: the load needs 1,000 connections at once, but the limit of 300 open files/,
    );
    expectFinding(
      await tryScenario(scenario(url, '{ concurrency: 10 }'), few),
      'open files',
      /^pass: room for \d+; the load needs about 10 connections$/,
    );
  });

  test('has one range of local ports for an address', async () => {
    const { url } = await serve(plainly);
    expectFinding(
      await tryScenario(scenario(url, '{ concurrency: 65000 }')),
      'local ports',
      /^warn: the load needs 65,000 connections at once, but there are [\d,]+ local ports/,
    );
    expectFinding(
      await tryScenario(scenario(url, '{ concurrency: 10 }')),
      'local ports',
      /^pass: room for [\d,]+; the load needs about 10/,
    );
  });

  test('has too few cores for a rate', async () => {
    const { url } = await serve(plainly);
    expectFinding(
      await tryScenario(scenario(url, '{ sessionsPerSecond: 1000000 }')),
      'CPU',
      /^warn: the load needs \d+ processes, but this machine has \d+ cores?\. Reduce the load/,
    );
    expectFinding(
      await tryScenario(scenario(url, '{ sessionsPerSecond: 10 }')),
      'CPU',
      /^pass: one process sustains the load/,
    );
  });
});

describe('a proxy', () => {
  test('of the environment is a finding, unless it is configured or the host is exempt', async () => {
    const { port } = await serve(plainly);
    const proxy = `http://127.0.0.1:${String(port)}`;
    const url = `http://agent.test:${String(port)}/v1`;
    const words = ['--allow-host', 'agent.test'];
    const key = { CHAT_LOAD_API_KEY: 'sk-of-tests' };
    const env = { ...key, HTTP_PROXY: proxy };
    expectFinding(
      await tryAt(url, words, env),
      'proxy',
      /^warn: requests pass the proxy http:\/\/127\.0\.0\.1:\d+\/?, which HTTP_PROXY names.*--proxy none/,
    );
    expectFinding(
      await tryAt(url, [...words, '--proxy', proxy], env),
      'proxy',
      /^pass: requests pass .*, as configured$/,
    );
    const direct = [...words, '--resolve', `agent.test:${String(port)}:127.0.0.1`];
    expectFinding(
      await tryAt(url, direct, { ...env, NO_PROXY: '.test' }),
      'proxy',
      /^pass: none: HTTP_PROXY is set, but NO_PROXY names the host$/,
    );
    const near = `http://127.0.0.1:${String(port)}/v1`;
    expectFinding(
      await tryAt(near, [], env),
      'proxy',
      /^pass: none: HTTP_PROXY is set, but it does not apply to this target$/,
    );
    expect(findingOf(await tryAt(near), 'proxy')).toBe(': ');
  });
});

describe.runIf(requireOpenssl())('a certificate', () => {
  test('that fits passes, and one that ends soon is a finding, once', async () => {
    const authority = await openAuthority();
    const good = await serve(plainly, authority.issue('good', { names: 'IP:127.0.0.1' }));
    const words = ['--ca', authority.certFile];
    expectFinding(
      await tryAt(good.url, words),
      'certificate',
      /^pass: valid until \d{4}-\d\d-\d\d, and names the host$/,
    );
    const short = await serve(plainly, authority.issue('short', { names: 'IP:127.0.0.1', toDays: 3 }));
    const ended = await tryAt(short.url, words);
    expectFinding(ended, 'certificate', /^warn: The certificate of the target .* expires in 2 days, on .*Renew it/);
    expect(ended.stderr).not.toContain('expires');
  });

  test('that is not verified is examined all the same', async () => {
    const authority = await openAuthority();
    const other = await serve(plainly, authority.issue('other', { names: 'DNS:other.example' }));
    const words = ['--ca', authority.certFile, '--insecure'];
    expectFinding(
      await tryAt(other.url, words),
      'certificate',
      /^warn: it is not verified \(--insecure\), and would be refused: .*127\.0\.0\.1.*--tls-server-name/,
    );
    const good = await serve(plainly, authority.issue('good', { names: 'IP:127.0.0.1' }));
    expectFinding(await tryAt(good.url, words), 'certificate', /^pass: valid until/);
  });
});

test("series that the target's metrics lack are a finding", async () => {
  const model = await startCountingModel();
  onTestFinished(() => model.close());
  const folder = await makeFolder();
  const metrics = JSON.stringify([{ url: model.metricsUrl, series: ['vllm:num_requests_running', 'missing_one'] }]);
  await writeScenario(
    folder,
    `{ name: 'x', sessions: 4, messages: ['Hello?'], target: { baseUrl: '${model.baseUrl}', agentId: 'm', protocol: 'openai-chat', auth: 'none', metrics: ${metrics} } }`,
  );
  const ended = await performCommand(['try', 'scenario.mjs'], {}, folder);
  expect(findingOf(ended, 'metrics')).toMatch(/^warn: http.* has no series missing_one/);
});

test("the target's metrics are read once", async () => {
  const model = await startCountingModel();
  onTestFinished(() => model.close());
  const metrics = (url: string): string[] => ['--stream', '--target-metrics', url];
  expectFinding(await tryAt(model.baseUrl, metrics(model.metricsUrl)), 'metrics', /^pass: \d series of vLLM at http/);
  expect(model.scraped()).toBe(1);
  expectFinding(
    await tryAt(model.baseUrl, metrics(`${model.baseUrl}/nothing`)),
    'metrics',
    /^warn: http.*: status 404\. Correct target\.metrics/,
  );
});
