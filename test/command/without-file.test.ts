import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PlanView } from '../../src/report/plan/plan-document.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';

interface Asked {
  path: string;
  authorization: string | undefined;
  body: { model?: string; stream?: boolean; max_tokens?: number; messages?: { role: string; content: string }[] };
}

/** A chat completions server as strangers write them: one path, FastAPI's errors, no key. */
async function openModel({ path = '/v1/chat/completions', failsAfter = Infinity } = {}): Promise<{
  url: string;
  origin: string;
  asked: Asked[];
}> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: object }> => {
    const sent = await text(request);
    if (request.method !== 'POST' || request.url !== path) return { status: 404, body: { detail: 'Not Found' } };
    const body = JSON.parse(sent) as Asked['body'];
    if (body.messages === undefined) return { status: 422, body: { detail: [{ msg: 'Field required' }] } };
    asked.push({ path, authorization: request.headers.authorization, body });
    if (asked.length > failsAfter) return { status: 400, body: { error: { message: 'bad thing' } } };
    const message = { role: 'assistant', content: 'Here is my answer.' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return {
      status: 200,
      body: { id: `c-${String(asked.length)}`, object: 'chat.completion', created: 1, model: body.model, choices },
    };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url: `${origin}/v1`, origin, asked };
}

const small = ['--model', 'm', '--sessions', '2', '--concurrency', '2'];

const planIn = ({ stdout }: { stdout: string }): PlanView => JSON.parse(stdout) as PlanView;

describe('a run without a scenario file', () => {
  test('detects the protocol of the service, reports it, and needs no key on this machine', async () => {
    const { url, origin, asked } = await openModel();
    const out = await makeFolder();
    const { code, stderr } = await performCommand(['run', '--url', url, ...small, '--out', out, '--quiet']);
    expect(stderr).toContain(`note: the protocol is openai-chat, because ${origin}/v1/chat/completions responds.`);
    expect(stderr).toContain('note: CHAT_LOAD_API_KEY is not set, so no key is sent to this machine.');
    const { scenario, books } = await readResult(out);
    expect([code, scenario.name]).toEqual([0, origin.slice(7).replace(':', '-')]);
    expect([asked.length, books.turns.ok]).toEqual([6, 6]);
    expect(asked.map(({ authorization }) => authorization).filter((key) => key !== undefined)).toEqual([]);
    expect(asked.map(({ body }) => body.model)).toEqual(Array(6).fill('m'));
    expect(Math.max(...asked.map(({ body }) => body.messages?.length ?? 0))).toBe(5);
  });

  test('is authorized by a header field: no key is sent or required, not even for another machine', async () => {
    const { url, asked } = await openModel();
    const field = ['--header', 'Authorization: Bearer a-token-of-mine'];
    const words = ['run', '--url', url, '--protocol', 'openai-chat', ...small, ...field, '--out', await makeFolder()];
    const { code, stderr } = await performCommand([...words, '--quiet']);
    expect([code, stderr]).toEqual([0, '']);
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer a-token-of-mine']));
    const elsewhere = ['plan', '--url', 'https://h.invalid/v1', '--protocol', 'openai-chat', ...small, ...field];
    expect(await performCommand([...elsewhere, '--allow-host', 'h.invalid'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('fails if most turns fail', async () => {
    const { url } = await openModel({ failsAfter: 1 });
    const out = await makeFolder();
    const { code, stdout } = await performCommand([
      'run',
      '--url',
      url,
      '--model',
      'm',
      '--sessions',
      '5',
      '--out',
      out,
    ]);
    expect([code, (await readResult(out)).outcomes.turns.bad_request]).toEqual([1, 5]);
    expect(stdout).toMatch(/FAILED: turns\.failedShare < 1% was \S+ %/);
  });

  test('has four concurrent sessions for a minute, of three turns, unless flags override it', async () => {
    const flags = ['plan', '--url', 'http://127.0.0.1:9/v1', '--model', 'm', '--protocol', 'openai-chat', '--json'];
    const { plan } = planIn(await performCommand(flags));
    expect([plan.durationMs, plan.sessions, plan.turns, plan.load.segments[0]?.from]).toEqual([
      60_000,
      null,
      { kind: 'constant', turns: 3 },
      4,
    ]);
    expect(plan.integrity.mode).toBe('passive');
    expect(plan.gates).toEqual({ 'turns.ok': '>= 1', 'turns.failedShare': '< 1%', 'sessions.failedShare': '< 5%' });
    const counted = planIn(await performCommand([...flags, '--sessions', '50', '--rate', '5'])).plan;
    expect([counted.durationMs, counted.sessions, counted.load.model]).toEqual([null, 50, 'open']);
    const words = planIn(await performCommand([...flags, '--preview', '1'])).preview[0]?.messages ?? [];
    expect(words.map((message) => message.split(' ').length).every((count) => count >= 12 && count <= 28)).toBe(true);
  });

  test('takes the protocol from the path of the URL, and sends the key that is set', async () => {
    const { origin, asked } = await openModel();
    const out = await makeFolder();
    const words = ['run', '--url', `${origin}/v1/chat/completions`, ...small, '--out', out, '--quiet'];
    const { code, stderr } = await performCommand(words, { CHAT_LOAD_API_KEY: 'sk-1234567890' });
    expect([code, stderr]).toEqual([0, expect.stringContaining('the protocol is openai-chat, by the path of the URL')]);
    expect(stderr).not.toContain('no key is sent');
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer sk-1234567890']));
  });

  test.each([
    ['https://generativelanguage.googleapis.com/v1beta', 'gemini-2.5-pro', 'gemini'],
    ['https://gateway.example/v1beta', 'gemini-2.5-pro', 'gemini'],
    ['https://gateway.example/v1beta/openai', 'gemini-2.5-pro', 'openai-chat'],
    ['https://api.anthropic.com/v1', 'claude-sonnet', 'anthropic-messages'],
  ])('takes the protocol from the base URL %s and the model %s, also in init: %s', async (url, model, protocol) => {
    const words = ['--url', url, '--model', model];
    const flags = ['plan', ...words, '--allow-host', new URL(url).host, '--json'];
    const { stdout, stderr } = await performCommand(flags, { CHAT_LOAD_API_KEY: 'sk-1234567890' });
    expect(stderr).toContain(`the protocol is ${protocol}, by the base URL`);
    expect(JSON.parse(stdout)).toMatchObject({ plan: { target: { protocol, baseUrl: url } } });
    const folder = await makeFolder();
    await performCommand(['init', ...words], {}, folder);
    const scenario = await readFile(join(folder, 'scenarios/agent.ts'), 'utf8');
    expect(scenario).toContain(`protocol: '${protocol}',\n`);
  });

  test('is repeated with the next seeds, and spread over processes, as the same scenario', async () => {
    const { url, asked } = await openModel();
    const [once, spread] = [await makeFolder(), await makeFolder()];
    const words = ['run', '--url', url, ...small, '--input-tokens', '30', '--output-tokens', '40', '--quiet', '--json'];
    const { stdout } = await performCommand([...words, '--repeat', '2', '--out', once]);
    const hashes = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { scenario: { hash: string } }).scenario.hash);
    const several = await performCommand([...words, '--cores', '2', '--out', spread]);
    expect([several.code, several.stderr]).toEqual([0, expect.stringContaining('note: prompts have 30 words each')]);
    expect(new Set([...hashes, (await readResult(spread)).scenario.hash]).size).toBe(1);
    expect(asked.map(({ body }) => body.max_tokens)).toEqual(Array(18).fill(40));
    const lengths = asked.map(({ body }) => body.messages?.at(-1)?.content.split(' ').length);
    expect(new Set(lengths)).toEqual(new Set([30]));
    expect(new Set(asked.map(({ body }) => body.messages?.at(-1)?.content)).size).toBeGreaterThan(6);
  });

  test('counts tokens if a tokenizer is installed in the working directory, and the plan states it', async () => {
    const folder = await makeFolder();
    const place = join(folder, 'node_modules', 'gpt-tokenizer');
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), '{"name":"gpt-tokenizer","main":"index.cjs"}');
    // Two tokens a word.
    await writeFile(join(place, 'index.cjs'), 'exports.encode = (text) => [...text.trim().split(" "), 0];');
    const words = ['plan', '--url', 'http://127.0.0.1:9/v1', '--model', 'm', '--protocol', 'openai-chat'];
    const prompts = ['--input-tokens', '20..40', '--preview', '9'];
    const { stdout, stderr } = await performCommand([...words, ...prompts, '--json'], {}, folder);
    expect(stderr).toContain('note: prompts have 20 to 40 tokens each, counted by gpt-tokenizer.');
    const { plan, preview } = planIn({ stdout });
    expect(plan.messages.prompts).toEqual({ min: 20, max: 40, counted: 'gpt-tokenizer' });
    const lengths = preview.flatMap(({ messages }) => messages.map((message) => message.split(' ').length));
    expect([Math.min(...lengths) >= 10, Math.max(...lengths) <= 20, new Set(lengths).size > 3]).toEqual([
      true,
      true,
      true,
    ]);
    const shown = (await performCommand([...words, ...prompts], {}, folder)).stdout;
    expect(shown).toMatch(/prompts +20 to 40 tokens \(gpt-tokenizer\), generated from the seed/);
    const other = planIn(await performCommand([...words, '--input-tokens', '20..40', '--json'])).plan;
    expect([other.messages.prompts?.counted, other.hash === plan.hash]).toEqual(['words', false]);
  });

  test('can be searched for its capacity', async () => {
    const words = [
      'capacity',
      '--url',
      'http://127.0.0.1:9/v1',
      '--model',
      'm',
      '--protocol',
      'openai-chat',
      '--dry-run',
    ];
    const { code, stdout } = await performCommand([...words, '--objective', 'turn.p95 < 2s']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/http:\/\/127\.0\.0\.1:9\/v1[^]*turn\.p95 < 2s/)]);
  });

  const known = ['--url', 'http://127.0.0.1:9/v1', '--model', 'm', '--protocol', 'openai-chat'];
  const messaging = ['--url', 'http://127.0.0.1:9', '--agent-id', 'a', '--protocol', 'chat-messaging'];

  test.each<[string, string[], string[]]>([
    ['nothing', ['run'], ['<scenario>, or --url URL', 'scenarios/smoke.ts', 'chat-load init', 'chat-load run --help']],
    ['nothing, for plan', ['plan'], ['<scenario>, or --url URL', 'chat-load plan --help']],
    ['nothing, for capacity', ['capacity'], ['<scenario>, or --url URL', 'chat-load capacity --help']],
    [
      'a fleet',
      ['run', ...known, '--fleet', 'redis://127.0.0.1:9', '--shards', '2'],
      ['--fleet needs a scenario file'],
    ],
    [
      'an unknown protocol',
      ['run', '--url', 'http://127.0.0.1:9', '--protocol', 'openai'],
      ["unknown protocol 'openai'"],
    ],
    [
      'no model',
      ['plan', ...known.slice(0, 2), ...known.slice(4)],
      ['is required with a base URL: set --model\n', 'docs/reference/options.md explains every option'],
    ],
    [
      'a model for an agent',
      ['plan', '--model', 'm', ...messaging.slice(0, 2), ...messaging.slice(4)],
      ['--model: chat-messaging has agents'],
    ],
    [
      'a protocol that only a request tells',
      ['plan', '--url', 'http://127.0.0.1:9/v1', '--model', 'm'],
      ['\n  chat-load plan --url http://127.0.0.1:9/v1 --model m --protocol openai-chat\n'],
    ],
    [
      'a dry run of it',
      ['run', '--dry-run', '--url', 'http://127.0.0.1:9/v1', '--model', 'm'],
      ['\n  chat-load run --dry-run --url http://127.0.0.1:9/v1 --model m --protocol openai-chat\n'],
    ],
    [
      'a URL without its scheme',
      ['plan', '--url', '127.0.0.1:9/v1', '--model', 'm'],
      ['did you mean http://127.0.0.1:9/v1?'],
    ],
    [
      'a host that nobody allowed',
      ['run', '--url', 'http://h.invalid/v1', '--model', 'm', '--protocol', 'openai-chat'],
      ['CHAT_LOAD_API_KEY', 'use --token-command'],
    ],
    ['an unusable length', ['plan', ...known, '--input-tokens', 'long'], ['--input-tokens takes a length']],
    ['a range that is upside down', ['plan', ...known, '--input-tokens', '9..3'], ['--input-tokens takes a length']],
    ['no tokens', ['plan', ...known, '--output-tokens', '0'], ['--output-tokens takes a whole number']],
    ['tokens of agents', ['plan', ...messaging, '--output-tokens', '9'], ['messages of chat-messaging have no field']],
    ['a length with a file', ['run', 'scenarios/smoke.ts', '--input-tokens', '9'], ['Set messages in the scenario']],
    ['a limit with a file', ['plan', 'scenarios/smoke.ts', '--output-tokens', '9'], ['Set target.messageBody']],
  ])('refuses %s', async (_, words, said) => {
    const { code, stdout, stderr } = await performCommand(words);
    expect([code, stdout]).toEqual([2, '']);
    for (const part of said) expect(stderr).toContain(part);
  });

  test('is tried first, with the same flags', async () => {
    const { url, origin, asked } = await openModel();
    const { code, stdout, stderr } = await performCommand(['try', '--url', url, '--model', 'm']);
    expect(stderr).toContain(`note: the protocol is openai-chat, because ${origin}/v1/chat/completions responds.`);
    expect([code, asked.length]).toEqual([0, expect.any(Number)]);
    expect(stdout).toContain('PASSED');
  });

  test('detects the protocol of another machine only if the host is allowed', async () => {
    const env = { CHAT_LOAD_API_KEY: 'sk-1234567890' };
    const { code, stderr } = await performCommand(['run', '--url', 'http://h.invalid/v1', '--model', 'm'], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--allow-host h.invalid')]);
  });

  test.each([['http://svc:UrlPassw0rd77@127.0.0.1:9/v1'], ['http://127.0.0.1:9/v1?key=UrlPassw0rd77']])(
    'shows no secret in its URL',
    async (url) => {
      for (const command of ['run', 'try', 'plan', 'capacity'])
        for (const words of [[], ['--url', url]]) {
          const env = words.length === 0 ? { CHAT_LOAD_BASE_URL: url } : {};
          const { code, stdout, stderr } = await performCommand([command, ...words, '--model', 'm'], env);
          expect([code, stdout, stderr.includes('UrlPassw0rd77')]).toEqual([2, '', false]);
        }
    },
  );

  test('detects no protocol for a URL without a scheme, or for a scenario that is only planned', async () => {
    const secret = 'UrlPassw0rd77';
    const path = await writeScenario(await makeFolder(), "{ name: 'x', messages: ['hi'], sessions: 2 }");
    const bad = [
      `user:${secret}@127.0.0.1:9/v1`,
      `http://user:${secret}@127.0.0.1:9/v1`,
      `http://127.0.0.1:9/v1?k=${secret}`,
    ];
    for (const url of bad)
      for (const words of [
        ['try'],
        ['run'],
        ['plan', path],
        ['plan', path, '--protocol', 'openai-chat', '--json'],
        ['check'],
        ['calibrate'],
      ]) {
        const { code, stdout, stderr } = await performCommand([...words, '--url', url, '--model', 'm']);
        expect([code, `${stdout}${stderr}`.includes(secret)]).toEqual([2, false]);
      }
  });

  test('has no default objective for a search of its capacity', async () => {
    const { code, stderr } = await performCommand(['capacity', ...known, '--dry-run']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no --objective')]);
  });

  test('states that a search of its capacity does not scrape it', async () => {
    const search = ['capacity', ...known, '--objective', 'turn.p95 < 1s', '--dry-run'];
    const ignored = 'target.metrics: a search does not scrape the target';
    const { stdout } = await performCommand(search);
    const scraping = await performCommand([...search, '--target-metrics', 'http://127.0.0.1:9/metrics']);
    expect([stdout.includes(ignored), scraping.stdout.includes(ignored)]).toEqual([false, true]);
  });

  test.each<[number, string]>([
    [
      200,
      "alike, so its API cannot be detected: name it. For an API like OpenAI's: --protocol openai-chat.\n  If you know",
    ],
    [301, 'redirects are not followed'],
    [403, 'the base URL may be wrong'],
    [408, 'asks to try again later'],
    [429, 'try again later'],
  ])('that finds %i on every path suggests a remedy', async (status, words) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
    const { code, stderr } = await performCommand(['run', '--url', url, '--model', 'm']);
    expect([code, stderr]).toEqual([3, expect.stringContaining(words)]);
  });

  test('must name its protocol if it uses HTTP/2', async () => {
    const server = createHttp2Server(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
    const { code, stderr } = await performCommand(['run', '--url', url, '--model', 'm', '--http2']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be detected over HTTP/2')]);
  });

  test('names a service that cannot be reached once', async () => {
    const { code, stderr } = await performCommand(['run', '--url', 'http://127.0.0.1:9/v1', '--model', 'm']);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('error the target http://127.0.0.1:9 cannot be reached'),
    ]);
  });

  test('that finds no chat API reports the responses, and suggests a remedy', async () => {
    const { origin } = await openModel({ path: '/other' });
    const { code, stderr } = await performCommand(['run', '--url', origin, '--model', 'm']);
    expect(code).toBe(3);
    expect(stderr).toContain(`No known chat API responds below ${origin}`);
    expect(stderr).toContain('status 404');
    expect(stderr).toContain(`chat-load try --url ${origin}`);
  });
});
