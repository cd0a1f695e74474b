import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { openModelServer, openTicketDesk, openWebhookBot } from '../support/defined-services.ts';
import { openPeer, unusedPort } from '../support/http-peer.ts';
import { openService } from '../support/reference-client.ts';
import { patient } from '../support/deadline.ts';

const { agentId, apiKey } = embeddedDefaults;

const tryAt = (baseUrl: string, words: readonly string[] = [], key: string = apiKey): Promise<Ended> =>
  performCommand(['try', '--base-url', baseUrl, '--agent-id', agentId, ...words], { CHAT_LOAD_API_KEY: key });

const referenceAt = async (options: EmbeddedOptions = {}): Promise<string> => (await openService(options)).baseUrl;

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((request, answer) => {
    request.resume();
    listener(request, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

let ids = 0;
const newId = (): string => `c${String(++ids)}`;

/** A fact of the verdict, its lines joined. */
function factOf({ stdout }: Ended, name: string): string {
  const verdict = stdout.slice(stdout.lastIndexOf('VERDICT'));
  const [, text = ''] = new RegExp(`^${name} +(.*(?:\\n {11}.*)*)`, 'm').exec(verdict) ?? [];
  return text.replace(/\n */g, ' ');
}

/** The command to type next, its lines joined. */
const nextOf = ({ stdout }: Ended): string =>
  (/^ {2}((?:npx )?chat-load (?:.* \\\n)*.*)$/m.exec(stdout)?.[1] ?? '').replace(/ \\\n */g, ' ');

const lastOf = ({ stdout }: Ended): string => stdout.trimEnd().split('\n').at(-1) ?? '';

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('a service that can be loaded', () => {
  test('the embedded one: every request and response, the verdict, and nothing on disk', async () => {
    const cwd = await makeFolder();
    const ended = await runCommand(['try', '--all'], { cwd });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    expect(ended.stdout.match(/^(?:create session|turn \d)$/gm)).toEqual([
      'create session',
      'turn 1',
      'turn 2',
      'turn 3',
    ]);
    expect(ended.stdout).toMatch(/^> POST http:\/\/127\.0\.0\.1:\d+\/api\/developer\/chat\/sessions$/m);
    expect(ended.stdout).toContain('> Authorization: Bearer [redacted]\n');
    expect(ended.stdout).toMatch(/^>\s+"message": "Which code did I tell you\?"$/m);
    expect(ended.stdout).toMatch(/^< 201 HTTP\/1\.1, application\/json; charset=utf-8$/m);
    expect(ended.stdout).toMatch(/^time {2}first byte .*, total /m);
    expect(factOf(ended, 'history')).toBe('kept by the service: turn 3 repeats the code of turn 2');
    expect(nextOf(ended)).toBe('chat-load init');
    expect([lastOf(ended), widest(ended.stdout), await readdir(cwd)]).toEqual(['PASSED', expect.any(Number), []]);
    expect(widest(ended.stdout)).toBeLessThanOrEqual(80);
  });

  test.each([
    ['/v1/chat/completions', 'openai-chat', 'sent by chat-load with every turn'],
    ['/v1/responses', 'openai-responses', 'kept by the service'],
    ['/v1/messages', 'anthropic-messages', 'sent by chat-load with every turn'],
  ])('below %s: %s, streamed and not', async (path, protocol, history) => {
    const url = await referenceAt({ stream: { gap: '15ms' } });
    const streamed = await tryAt(`${url}${path}`, ['--stream']);
    expect({ code: streamed.code, last: lastOf(streamed) }).toEqual({ code: 0, last: 'PASSED' });
    expect(streamed.stderr).toMatch(/^note: The base URL ends in /);
    expect(factOf(streamed, 'protocol')).toBe(`${protocol}, from the path of the URL, confirmed by its replies`);
    expect(factOf(streamed, 'streaming')).toMatch(/^\d+ content events over [\d.]+ m?s, the first after /);
    expect(streamed.stdout).toMatch(/^< +\d+\.\d ms {2}\S/m);
    expect(streamed.stdout).toMatch(/, first token .*, total /);
    const whole = await tryAt(`${url}/v1`, ['--protocol', protocol]);
    expect([whole.code, whole.stderr]).toEqual([0, '']);
    expect(factOf(whole, 'streaming')).toMatch(/^supported \(--stream\): \d+ content events over/);
    expect(factOf(whole, 'history')).toMatch(new RegExp(`^${history}: turn 3 repeats`));
    expect(factOf(whole, 'usage')).toMatch(/^reported: \d+ tokens in, \d+ tokens out$/);
    expect(nextOf(whole)).toBe(
      `chat-load run --url ${url}/v1 --model ${agentId} --protocol ${protocol} --concurrency 5 --sessions 55`,
    );
  });

  test('prints one exchange in full, and the others in two lines each', async () => {
    const url = await referenceAt({ stream: { events: 40 } });
    const words = ['--protocol', 'openai-chat', '--stream'];
    const [short, all] = [await tryAt(`${url}/v1`, words), await tryAt(`${url}/v1`, [...words, '--all'])];
    expect(short.stdout).toMatch(/^turn 1\n> POST /m);
    expect(short.stdout).toMatch(
      /^turn 2 {2}200 HTTP\/1\.1, first byte .*, total .*\nread {2}ok: .+\n\nturn 3 {2}200/m,
    );
    expect(short.stdout).toMatch(/^< transfer-encoding: chunked$/m);
    expect(short.stdout).toContain('--all prints every exchange in full\n');
    expect([short, all].map(({ stdout }) => stdout.match(/^> POST /gm)?.length)).toEqual([1, 3]);
    expect(all.stdout).not.toContain('--all');
  });

  test('reports the number of omitted events, and their arrival in one chunk', async () => {
    const url = await referenceAt({ stream: { events: 40 } });
    const ended = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat', '--stream', '--all']);
    const turn = /^turn 3$(.*?)^time/ms.exec(ended.stdout)?.[1] ?? '';
    expect(turn.match(/^< +\d+\.\d ms {2}/gm)).toHaveLength(13);
    expect(turn).toMatch(/^< \.\.\. \(\d+ events more\)$/m);
    const buffered = await referenceAt({
      latency: '300ms',
      stream: { events: 5, gap: '5ms' },
      faults: [{ kind: 'stream_buffered', share: 1 }],
    });
    expect(factOf(await tryAt(`${buffered}/v1`, ['--protocol', 'openai-chat', '--stream']), 'streaming')).toMatch(
      /, all at once after .*: the service or a proxy buffers the stream \(turn 3\)$/,
    );
  });

  test('with the scenario’s own first message and variable values, without its think time and retries', async () => {
    const folder = await makeFolder();
    const path = await writeScenario(
      folder,
      `{ name: 's', sessions: 100, turns: 9, thinkTime: '1h', load: { concurrency: 50 }, data: { names: ['Ada'] },
         variableValues: { customerName: '{{pick names}}' }, messages: ['I am {{customerName}}.', 'Never said.'],
         checks: { no: () => false }, integrity: true }`,
    );
    const ended = await performCommand(['try', path]);
    expect([ended.code, lastOf(ended)]).toEqual([0, 'PASSED']);
    expect(ended.stdout).toContain('"message": "I am Ada."');
    expect(ended.stdout).toContain('"customerName": "Ada"');
    expect(ended.stdout).not.toContain('Never said.');
    expect(nextOf(ended)).toMatch(/^chat-load run .*scenario\.mjs' --concurrency 2 --duration 30s$/);
  });

  test('that forgets: it remains unknown whether the history is kept', async () => {
    const url = await serve((_, answer) =>
      answer
        .setHeader('Content-Type', 'application/json')
        .end(JSON.stringify({ id: newId(), choices: [{ message: { role: 'assistant', content: 'Hi.' } }] })),
    );
    const ended = await tryAt(`${url}/v1/chat/completions`);
    expect(ended.code).toBe(0);
    expect(factOf(ended, 'history')).toMatch(
      /^sent by chat-load with every turn; turn 3 does not repeat the code QX\d+$/,
    );
    expect(factOf(ended, 'usage')).toBe('not reported');
    expect(factOf(ended, 'streaming')).toMatch(/^not supported \(contract_broken/);
  });
});

describe('a protocol of the scenario', () => {
  const key = 'a-key-of-these-tests';
  const tryExample = async (name: string, baseUrl: string, words: readonly string[] = []): Promise<Ended> => {
    const page = await readFile(join(root, 'docs/reference/protocols.md'), 'utf8');
    const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
    const file = join(await makeFolder(), `${name}.ts`);
    await writeFile(file, examples.find((text) => text.includes(`name: '${name}'`)) ?? '');
    return performCommand(['try', file, '--base-url', baseUrl, ...words], { CHAT_LOAD_API_KEY: key });
  };

  test('with its creation, cookies and custom header, whose values are not shown', async () => {
    const { baseUrl, counted } = await openWebhookBot(key);
    const ended = await tryExample('webhook', baseUrl);
    expect([ended.code, lastOf(ended), counted['ok']]).toEqual([0, 'PASSED', 4]);
    expect(ended.stdout).toMatch(/^> Cookie: \[redacted\]$/m);
    expect(ended.stdout).toMatch(/^> X-Webhook-Token: \[redacted\]$/im);
    expect(ended.stdout + ended.stderr).not.toContain(key);
    expect(factOf(ended, 'protocol')).toBe('webhook-bot, confirmed by its replies');
  });

  test('in JSON lines', async () => {
    const { baseUrl } = await openModelServer(() => undefined);
    const ended = await tryExample('local-model', baseUrl, ['--stream']);
    expect([ended.code, lastOf(ended)]).toEqual([0, 'PASSED']);
    expect(factOf(ended, 'usage')).toBe('reported: 5 tokens in, 3 tokens out');
  });

  test('that polls: every exchange of the conversation is shown', async () => {
    const { baseUrl, counted } = await openTicketDesk(key);
    const ended = await tryExample('ticket-desk', `${baseUrl}/v2`, ['--all']);
    expect([ended.code, lastOf(ended)]).toEqual([0, 'PASSED']);
    // The repeated message is one more turn.
    expect(ended.stdout.match(/^> GET /gm)).toHaveLength((3 / 4) * (counted['polls'] ?? 0));
    expect(ended.stdout.match(/^read {2}ok/gm)).toHaveLength(4);
  });
});

describe('a service that cannot be loaded', () => {
  test('for a refused key: exit 3', async () => {
    const ended = await tryAt(await referenceAt(), [], 'another-key-456');
    expect(ended.code).toBe(3);
    expect(factOf(ended, 'key')).toMatch(/^rejected: status 401/);
    expect(lastOf(ended)).toMatch(/^FAILED: the creation of the session ended with unauthorized: status 401/);
    expect(ended.stdout + ended.stderr).not.toContain('another-key-456');
  });

  test('because the protocol is another: exit 1, the finding, and the command', async () => {
    const url = await referenceAt();
    const ended = await tryAt(`${url}/v1`);
    expect(ended.code).toBe(1);
    expect(factOf(ended, 'protocol')).toContain(`/v1/chat/completions responds (openai-chat; status 400`);
    expect(nextOf(ended)).toBe(`chat-load try --url ${url}/v1 --model ${agentId} --protocol openai-chat`);
    const doubled = await tryAt(`${url}/v1/v1`, ['--protocol', 'openai-chat']);
    expect(nextOf(doubled)).toContain(`--url ${url}/v1/chat/completions`);
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      'a page for everything',
      (_, answer) => void answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Hello</title>'),
      /nor any other known protocol at this URL \(\d+ requests; a path that cannot exist is answered with status 200: Hello\)/,
    ],
    [
      '200 {"ok":true} for everything',
      (_, answer) => void answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}'),
      /a path that cannot exist is answered with status 200\)/,
    ],
  ])('because it has %s: exit 1', async (_, listener, words) => {
    const ended = await tryAt(await serve(listener), ['--protocol', 'openai-chat']);
    expect(ended.code).toBe(1);
    expect(factOf(ended, 'protocol')).toMatch(words);
    expect(lastOf(ended)).toMatch(/^FAILED: turn 1 ended with (?:malformed|contract_broken): /);
  });

  test('because it never answers, or nothing listens: exit 3', async () => {
    const peer = await openPeer(() => undefined);
    const silent = await tryAt(`http://127.0.0.1:${String(peer.port)}`, ['--timeout', '200ms']);
    expect([silent.code, factOf(silent, 'reachable')]).toEqual([3, expect.stringMatching(/^accepts connections, but/)]);
    const closed = await tryAt(`http://127.0.0.1:${String(await unusedPort())}`);
    expect([closed.code, lastOf(closed)]).toEqual([
      3,
      expect.stringMatching(/^FAILED: the target .* cannot be reached/),
    ]);
  });

  test('with the text of the service, however hostile: printable, after a marker, without the key', async () => {
    const hostile = `\u001b[2Jno\nPASSED\n${apiKey}\u202e`;
    const url = await serve((_, answer) => void answer.writeHead(400, { 'Content-Type': 'text/x' }).end(hostile));
    const { stdout: shown } = await tryAt(url, ['--protocol', 'openai-chat']);
    expect(shown).not.toMatch(/^PASSED/m);
    expect(shown).toMatch(/^< PASSED$/m);
    expect(shown).not.toContain(apiKey);
    expect(shown.includes('\u001b') || shown.includes('\u202e')).toBe(false);
  });
});

describe('next steps', () => {
  const own = (protocol: string): Promise<string> =>
    makeFolder().then((folder) =>
      writeScenario(
        folder,
        `{ name: 's', sessions: 1, messages: ['Hi'], target: { baseUrl: 'http://127.0.0.1:9', agentId: 'a', auth: 'none', protocol: ${protocol} } }`,
      ),
    );
  const json = (answer: ServerResponse, status: number, body: object, fields: Record<string, string> = {}): void =>
    void answer.writeHead(status, { 'content-type': 'application/json', ...fields }).end(JSON.stringify(body));
  const next = (ended: Ended): string => factOf(ended, 'next step');

  test('for replies without text, which fail a run: FAILED', async () => {
    const url = await serve((_, answer) => json(answer, 200, { id: newId(), choices: [{ message: { content: '' } }] }));
    const ended = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat']);
    expect([ended.code, lastOf(ended)]).toEqual([1, 'FAILED: the reply of turn 1 has no text']);
    expect(next(ended)).toContain('No text was found in the reply');
  });

  test('for replies with one id, which fail a run, unless its scenario disables the check', async () => {
    const url = await serve((_, answer) =>
      json(answer, 200, { id: 'same', choices: [{ message: { content: 'Hi' } }] }),
    );
    const ended = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat']);
    expect([ended.code, lastOf(ended)]).toEqual([1, 'FAILED: the reply of turn 2 has the id of an earlier reply']);
    expect(next(ended)).toContain('`integrity: false`');
    const folder = await makeFolder();
    const path = await writeScenario(folder, `{ name: 's', sessions: 1, messages: ['Hi'], integrity: false }`);
    const unguarded = await performCommand(
      ['try', path, '--url', `${url}/v1`, '--model', 'm', '--protocol', 'openai-chat'],
      { CHAT_LOAD_API_KEY: 'k' },
    );
    expect([unguarded.code, lastOf(unguarded)]).toEqual([0, 'PASSED']);
  });

  test('for a definition that finds no text in a stream: FAILED, with the available members', async () => {
    const url = await serve((_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      answer.end('data: {"delta":{"content":"Hi"}}\n\ndata: {"done":true}\n\n');
    });
    const path = await own(
      `{ name: 'bot', message: { path: '/chat', body: ({ message }) => ({ message }) }, reply: { text: 'x' }, stream: { format: 'sse', text: 'delta.contents', end: ({ done }) => done === true } }`,
    );
    const ended = await performCommand(['try', path, '--url', url, '--stream']);
    expect([ended.code, lastOf(ended)]).toEqual([
      1,
      'FAILED: turn 1 ended with contract_broken: no event has text at delta.contents: delta has the key content',
    ]);
    expect(next(ended)).toContain('Compare the definition of the protocol with the exchanges above');
    expect(factOf(ended, 'protocol')).toBe('bot; not confirmed by a reply');
  });

  test('for a key that was not sent: to set one, and nothing is claimed', async () => {
    const url = await serve((_, answer) => json(answer, 500, { error: { message: 'No api key passed in.' } }));
    const ended = await performCommand(['try', '--url', `${url}/v1`, '--model', 'm', '--protocol', 'openai-chat']);
    expect(factOf(ended, 'key')).toBe('none was sent');
    expect(next(ended)).toMatch(/^No key was sent: set CHAT_LOAD_API_KEY if the service needs one\. /);
  });

  test('for a model that the service does not have: another model', async () => {
    const url = await serve((request, answer) =>
      request.url === '/v1/chat/completions'
        ? json(answer, 400, { error: { message: 'Invalid model name passed in model=mok' } })
        : json(answer, 404, {}),
    );
    const ended = await performCommand(['try', '--url', `${url}/v1`, '--model', 'mok']);
    expect(next(ended)).toBe('The service refuses mok: name one of its models with --model.');
  });

  test('for a reply streamed without a request: to request streaming', async () => {
    const url = await serve(
      (_, answer) => void answer.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {}\n\n'),
    );
    const ended = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat']);
    expect(lastOf(ended)).toContain('a stream, which was not requested (target.stream, --stream)');
    expect(nextOf(ended)).toBe(`chat-load try --url ${url}/v1 --model ${agentId} --protocol openai-chat --stream`);
  });

  test.each<[string, number, Record<string, string>, string]>([
    [
      'a redirect: its target',
      308,
      { location: 'http://127.0.0.1:9/v2' },
      'It redirects to http://127.0.0.1:9/v2, and redirects are not followed: set the base URL (--url)',
    ],
    ['a limit of requests: to wait', 429, { 'retry-after': '7' }, 'try again later'],
    ['a conflict that waiting resolves: to wait', 409, {}, 'The service asks to try again later.'],
  ])('for %s', async (_, status, fields, words) => {
    const url = await serve((__, answer) => json(answer, status, { error: { message: 'Later' } }, fields));
    const ended = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat']);
    for (const [name, value] of Object.entries(fields)) expect(ended.stdout).toContain(`\n< ${name}: ${value}\n`);
    expect(next(ended)).toContain(words);
  });

  test('for a key that is rejected on every path: the base URL may be wrong, too', async () => {
    const url = await serve((_, answer) => json(answer, 403, { message: 'Missing Authentication Token' }));
    const ended = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat']);
    expect([ended.code, factOf(ended, 'protocol')]).toEqual([
      3,
      expect.stringContaining('cannot be confirmed while it rejects requests'),
    ]);
    expect(next(ended)).toContain('A path that cannot exist is rejected too');
    const search = await performCommand(['run', '--url', `${url}/v1`, '--model', 'm'], {
      CHAT_LOAD_API_KEY: 'a-key-of-8',
    });
    expect(search.stderr.replaceAll('\n', ' ')).toMatch(
      /cannot exist is answered with status 403: Missing Authentication Token\..*Check CHAT_LOAD_API_KEY/,
    );
  });

  test('with the flags that no command shows, which are named', async () => {
    const url = await serve((_, answer) =>
      json(answer, 200, { id: newId(), choices: [{ message: { content: 'Hi' } }] }),
    );
    const words = ['--protocol', 'openai-chat', '--header', 'X-Tenant: blue-123', '--proxy', 'none'];
    const ended = await tryAt(`${url}/v1`, words);
    expect([ended.code, next(ended)]).toEqual([
      0,
      expect.stringMatching(
        /^run a small load, with --header and --proxy again:|^run a small load, with --proxy and --header again:/,
      ),
    ]);
    expect(nextOf(ended)).not.toContain('blue-123');
  });

  test('for a service without HTTP: the message that it does not answer in HTTP', async () => {
    const peer = await openPeer(({ socket }) => void socket.end('SSH-2.0-x\r\n'));
    const ended = await tryAt(`http://127.0.0.1:${String(peer.port)}`, ['--protocol', 'openai-chat']);
    expect([ended.code, factOf(ended, 'reachable')]).toEqual([
      1,
      expect.stringMatching(/^accepts connections, but does not respond in HTTP: /),
    ]);
  });

  test('with npx, if it was started with npx', async () => {
    expect(nextOf(await performCommand(['try'], { npm_lifecycle_event: 'npx' }))).toBe('npx chat-load init');
  });
});

test('a long body is redacted at its beginning, and its length is correct', async () => {
  const text = `${apiKey} ${'E '.repeat(2_000_000)}`;
  const url = await serve((_, answer) => void answer.writeHead(400, { 'content-type': 'text/plain' }).end(text));
  const { stdout } = await tryAt(`${url}/v1`, ['--protocol', 'openai-chat']);
  expect(stdout).not.toContain(apiKey);
  expect(stdout).toMatch(/^< \.\.\. \(3,998,\d\d\d characters more\)$/m);
});

test('a secret split across events appears in no event', async () => {
  const key = 'sk-0123456789abcdef';
  const url = await serve((_, answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const pieces = ['Your key is ', key.slice(0, 11), key.slice(11), '.'];
    answer.end(
      `${pieces.map((content) => chunk({ role: 'assistant', content }, null)).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`,
    );
  });
  const words = ['try', '--url', `${url}/v1`, '--model', 'm', '--protocol', 'openai-chat', '--stream'];
  const { code, stdout } = await performCommand(words, { CHAT_LOAD_API_KEY: key });
  expect([code, stdout]).toEqual([expect.any(Number), expect.stringContaining('Your key is [API key].')]);
  expect(stdout).not.toContain(key.slice(0, 11));
  expect(stdout).not.toContain(key.slice(11));
});

test('no key is required for this machine, and a missing one is reported', async () => {
  const url = await serve((request, answer) =>
    answer
      .writeHead(request.headers.authorization === undefined ? 200 : 400, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ id: newId(), choices: [{ message: { role: 'assistant', content: 'Hi.' } }] })),
  );
  const ended = await performCommand(['try', '--base-url', `${url}/v1/chat/completions`, '--agent-id', 'm']);
  expect([ended.code, factOf(ended, 'key')]).toEqual([0, 'not needed: none was sent']);
  expect(ended.stderr).toContain('note: CHAT_LOAD_API_KEY is not set');
});

test('a signal ends it at once, with the events so far', async () => {
  const peer = await openPeer(() => undefined);
  const words = ['try', '--base-url', `http://127.0.0.1:${String(peer.port)}/v1/messages`, '--agent-id', 'm'];
  const { child, ended } = startCommand(words, { env: { CHAT_LOAD_API_KEY: apiKey } });
  await expect.poll(() => peer.arrivals.some(({ text }) => text.startsWith('POST ')), patient).toBe(true);
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([130, 'FAILED: stopped by SIGINT']);
});
