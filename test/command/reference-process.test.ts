import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbedded, type EmbeddedService } from '../../src/reference-service/embedded.ts';
import type { ServiceStats } from '../../src/reference-service/exchange/stats.ts';
import { embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { isAlive, untilGone } from '../support/child-processes.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root, startCommand } from '../support/command.ts';
import { createSession, getJson, messageOf, post, say } from '../support/reference-client.ts';

async function openEmbedded(options: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const service = await startEmbedded(embeddedOptions.parse(options));
  onTestFinished(() => service.close());
  return service;
}

describe('the embedded service', () => {
  test('runs in a separate process, on loopback, and reports its counts', async () => {
    const { baseUrl, pid, stats } = await openEmbedded({ costPerTurn: 3 });
    expect(pid).not.toBe(process.pid);
    expect(new URL(baseUrl).hostname).toBe('127.0.0.1');
    const { body } = await post(baseUrl, { body: messageOf(await createSession(baseUrl), 'Hi') });
    expect(body.data?.['cost']).toBe(3);
    const [one, two] = await Promise.all([stats(), stats()]);
    expect(one).toMatchObject({
      messages: { classes: { ok: 1 } },
      creates: { classes: { ok: 1 } },
      connections: { total: 2 },
    });
    expect(two.messages).toEqual(one.messages);
  });

  test('continues after signals of the terminal, and ends on request', async () => {
    const service = await openEmbedded();
    process.kill(service.pid, 'SIGINT');
    process.kill(service.pid, 'SIGTERM');
    expect(await say(service.baseUrl, await createSession(service.baseUrl), 'Hi')).toContain('Turn 1');
    await service.close();
    expect(isAlive(service.pid)).toBe(false);
    await expect(service.stats()).rejects.toMatchObject({ name: 'ChatLoadError', code: 'environment' });
    await service.close();
  });

  test('ends when the process that started it is killed', async () => {
    const source = (path: string): string => JSON.stringify(join(root, 'src', path));
    const script = `
      import { createJiti } from 'jiti';
      const jiti = createJiti(${JSON.stringify(import.meta.url)});
      const { startEmbedded } = await jiti.import(${source('reference-service/embedded.ts')});
      const { embeddedOptions } = await jiti.import(${source('scenario/embedded.ts')});
      console.log((await startEmbedded(embeddedOptions.parse({}))).pid);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await untilGone([pid]);
  });
});

/** The first line of the command's standard output. */
async function serve(words: readonly string[], env: Record<string, string> = {}) {
  const { child, ended } = startCommand(['serve', '--port', '0', ...words], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('no standard output');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { line, baseUrl: /https?:\S+/.exec(line)?.[0] ?? '', child, ended };
}

async function writeConfig(config: unknown): Promise<string> {
  const path = join(await makeFolder(), 'service.json');
  await writeFile(path, typeof config === 'string' ? config : JSON.stringify(config));
  return path;
}

describe('chat-load serve', () => {
  // The replies from a completions endpoint, below, end by SIGTERM.
  test('serves until SIGINT, then ends well', async () => {
    const { line, baseUrl, child, ended } = await serve(['--latency', '5ms', '--seed', '3']);
    expect(line).toBe(`chat-load service  ${baseUrl}  agent agent-support  key chat-load-embedded-key`);
    expect(await say(baseUrl, await createSession(baseUrl), 'Hi')).toContain('Turn 1');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
  });

  test('ends at once, even if requests are in progress', async () => {
    const config = await writeConfig({ latency: '1h', faults: [{ kind: 'stall', for: '1h', on: 'create', every: 2 }] });
    const { baseUrl, child, ended } = await serve(['--config', config]);
    const sessionId = await createSession(baseUrl);
    const pending = [post(baseUrl, { body: messageOf(sessionId, 'Hi') }), createSession(baseUrl)];
    const cut = Promise.allSettled(pending);
    const inProgress = async (): Promise<number> => {
      const { messages, creates } = (await getJson(`${baseUrl}/stats`)) as ServiceStats;
      return messages.inProgress + creates.inProgress;
    };
    while ((await inProgress()) < 2);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect((await cut).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('reads its options from a file, which flags override, and never shows a key of the file', async () => {
    const key = 'a-key-of-the-file';
    const config = await writeConfig({
      agents: [{ id: 'a1' }],
      keys: [{ key }],
      costPerTurn: 7,
      rateLimit: { perSecond: 1 },
    });
    const { line, baseUrl, child, ended } = await serve(['--config', config, '--rate-limit', '100']);
    expect(line).toContain('agent a1  key (the first of the config file)');
    const { status } = await post(baseUrl, { key, path: '/api/developer/chat/sessions', body: { agentId: 'a1' } });
    const again = await post(baseUrl, { key, path: '/api/developer/chat/sessions', body: { agentId: 'a1' } });
    expect([status, again.status]).toEqual([201, 201]);
    child.kill('SIGTERM');
    const { stdout, stderr } = await ended;
    expect(stdout + stderr).not.toContain(key);
  });

  test('reports every problem of its options, each with its path, before it listens', async () => {
    const config = await writeConfig({ latencies: '1s', faults: [{ kind: 'reset', share: 2 }], capacity: 0 });
    const { code, stdout, stderr } = await performCommand(['serve', '--config', config, '--latency', 'soon']);
    expect([code, stdout]).toEqual([2, '']);
    for (const words of ["did you mean 'latency'?", 'faults[0].share: ', 'capacity: ', 'latency: expected a duration'])
      expect(stderr).toContain(words);
  });

  test.each([
    ['a file that is not there', ['--config', 'nowhere.json'], 'nowhere.json cannot be read'],
    ['a port that is none', ['--port', '99999'], '99999'],
    [
      'a certificate that is not there',
      ['--tls-cert', 'no.pem', '--tls-key', 'no.pem'],
      'the certificate cannot be used',
    ],
    ['a certificate without its key', ['--tls-cert', 'no.pem'], 'tls-key'],
    ['completions without a model', ['--completions-url', 'http://127.0.0.1:1'], 'completions-model'],
    ['an unknown flag', ['--latancy', '1s'], 'latancy'],
  ])('is used wrongly with %s', async (_, words, told) => {
    const { code, stdout, stderr } = await performCommand(['serve', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(told);
  });

  test('rejects a port that does not exist', async () => {
    const { code, stderr } = await performCommand(['serve', '--port', '99999']);
    expect(code).toBe(2);
    expect(stderr).toContain('port 99999: a port is a whole number from 0 to 65535');
  });

  test('reports that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await performCommand(['serve', '--port', String(port)]);
    expect(code).toBe(3);
    expect(stderr).toContain(`port ${String(port)}: the port is in use`);
  });

  test('explains itself, with examples', async () => {
    const { code, stdout } = await performCommand(['serve', '--help']);
    expect(code).toBe(0);
    for (const words of ['--completions-url', 'CHAT_LOAD_COMPLETIONS_KEY', '--port 0 --latency 800ms'])
      expect(stdout).toContain(words);
  });

  test('serves a model behind an agent, with its options in a file, and prints how to point an agent at it', async () => {
    const config = await writeConfig({ latency: 0, tokenTime: 0, replies: [{ text: 'Hello from the file' }] });
    const { baseUrl, child, ended } = await serve(['--as', 'model', '--config', config]);
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
    expect((await post(baseUrl, { path: '/v1/chat/completions', body })).text).toContain('Hello from the file');
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    const port = new URL(baseUrl).port;
    expect([code, stdout.split('\n'), stderr]).toEqual([
      0,
      [
        `chat-load model  ${baseUrl}`,
        `export OPENAI_BASE_URL=${baseUrl}/v1`,
        `export ANTHROPIC_BASE_URL=${baseUrl}`,
        `in containers: http://host.docker.internal:${port}/v1 (requires host 0.0.0.0)`,
        '',
      ],
      '',
    ]);
  });

  test.each([
    ['a flag of the agent', ['--rate-limit', '2'], '--rate-limit does not apply to --as model'],
    [
      'a host that is not allowed',
      ['--config', '{"forward":{"openai":"https://models.example.com/v1"}}'],
      '--allow-host models.example.com',
    ],
    [
      'a broken expression',
      ['--config', '{"replies":[{"message":"/(/","text":""}]}'],
      'replies[0].message: not a valid regular expression',
    ],
    [
      'an expression of 1,001 characters',
      ['--config', JSON.stringify({ replies: [{ message: `/${'a'.repeat(1001)}/`, text: '' }] })],
      'not a valid regular expression of at most 1,000 characters',
    ],
    ['a tokenizer that is not installed', ['--config', '{"tokenizer":"o200k_base"}'], 'npm install gpt-tokenizer'],
  ])('refuses to serve a model with %s', async (_, [flag = '', value = ''], expected) => {
    const given = flag === '--config' ? await writeConfig(value) : value;
    const { code, stdout, stderr } = await performCommand(['serve', '--as', 'model', '--port', '0', flag, given]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(expected);
  });

  test('supports TLS with a certificate, including resets', async () => {
    const fixture = (name: string): string => join(root, 'test/fixtures', `test-only-localhost.${name}.pem`);
    const config = await writeConfig({ faults: [{ kind: 'reset', first: 1 }] });
    const words = ['--config', config, '--tls-cert', fixture('cert'), '--tls-key', fixture('key')];
    const { baseUrl } = await serve(words);
    expect(baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:/);
    const ca = await readFile(fixture('cert'), 'utf8');
    const url = baseUrl.replace('127.0.0.1', 'localhost');
    const { body } = await post(url, { ca, path: '/api/developer/chat/sessions', body: { agentId: 'agent-support' } });
    const message = messageOf(body.data?.sessionId ?? '', 'Hi');
    await expect(post(url, { ca, body: message })).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' });
    expect((await post(url, { ca, body: message })).status).toBe(200);
  });

  test('replies from a completions endpoint until SIGTERM; failures of the endpoint become provider failures', async () => {
    const seen: unknown[] = [];
    const endpoint = createHttpServer((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      if (seen.length > 1) response.writeHead(429, { 'retry-after': '7' }).end();
      else response.end(JSON.stringify({ choices: [{ message: { content: 'From the model.' } }] }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => endpoint.close().closeAllConnections());
    await once(endpoint, 'listening');
    const url = `http://127.0.0.1:${String((endpoint.address() as AddressInfo).port)}/v1`;
    const env = { CHAT_LOAD_COMPLETIONS_KEY: 'a-completions-key' };
    const { line, baseUrl, child, ended } = await serve(['--completions-url', url, '--completions-model', 'm'], env);
    const sessionId = await createSession(baseUrl);
    expect(await say(baseUrl, sessionId, 'Hi')).toBe('From the model.');
    const { status, headers, body } = await post(baseUrl, { body: messageOf(sessionId, 'Hi') });
    expect([status, headers['retry-after'], body.error]).toEqual([429, '7', 'Chat provider error']);
    expect(seen).toEqual(Array(2).fill(['/v1/chat/completions', 'Bearer a-completions-key']));
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
    expect(line).not.toContain('a-completions-key');
  });
});
