import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/command.ts';
import { expectLedger, expectParts, expectTraced, runInside, startInside, writeInside } from '../support/inside-run.ts';
import { openAgent, type Behavior } from '../support/known-agent.ts';

const answerOnce: Behavior = async ({ call }) => ({ text: (await call()).text });
const joined = (text: string): string => text.replace(/\s+/g, ' ');

describe('bad input of a run with a model service', () => {
  test('a port in use: nothing is sent, and the message names the option', async () => {
    const agent = await openAgent(answerOnce);
    const { folder, port } = await writeInside(agent, { sessions: 5 });
    const other = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { code, stderr } = await runCommand(['run', 'scenario.mjs', '--out', 'out'], { cwd: folder });
    expect(code).toBe(3);
    expect(joined(stderr)).toMatch(/the model service is not available: .*in use/);
    expect(joined(stderr)).toContain('--model-port');
    expect(agent.turns).toEqual([]);
    expect(await readdir(join(folder, 'out'))).toEqual([]);
  });

  test.for([
    { sessions: 60, name: 'a long run' },
    { sessions: 3, name: 'a short run' },
  ])('an agent that never calls the model: a warning with the address, in $name', async ({ sessions }) => {
    const agent = await openAgent(() => Promise.resolve({ text: 'Cached.' }));
    const run = await runInside(agent, { sessions, load: { concurrency: 4 } });
    expectLedger(run, agent);
    expect(run.model).toMatchObject({ noCall: sessions, attempts: 0, attributedShare: null });
    const warning = run.result.warnings.find(({ code }) => code === 'model_unused');
    expect(warning?.message).toMatch(/^No model call in \d+ turns: is the agent configured with OPENAI_BASE_URL=/);
    expect(warning?.message).toContain(`${agent.modelOrigin}/v1`);
    if (sessions > 50) expect(joined(run.ended.stderr)).toMatch(/warning: No model call in [56]\d turns/);
    expect(joined(run.ended.stdout + run.ended.stderr)).toContain('is the agent configured with');
  });

  test('bodies that are not those of the APIs: refused as the real services do', async () => {
    const bad = [
      ['/v1/chat/completions', 'no JSON'],
      ['/v1/chat/completions', '[]'],
      ['/v1/chat/completions', '{"model":"m","messages":"Hello"}'],
      ['/v1/responses', '{"model":"m"}'],
      ['/v1/messages', '{"model":"m","messages":[{"role":"user","content":"Hi"}]}'],
      ['/v1/embeddings', '{"model":"m"}'],
    ] as const;
    const agent = await openAgent(async ({ call }) => {
      for (const [path, body] of bad) await call({ path, body, headers: { 'anthropic-version': '2023-06-01' } });
      return { text: (await call()).text };
    });
    const run = await runInside(agent, { sessions: 4, load: { concurrency: 2 } });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    const statuses = agent.turns.map(({ calls }) => calls.map(({ status }) => status));
    expect(statuses).toEqual(Array.from({ length: 4 }, () => [...bad.map(() => 400), 200]));
    expect(run.model.byOutcome).toMatchObject({ rejected: 24, ok: 4 });
    expect(run.model.byApi).toEqual({ chat: 16, responses: 4, messages: 4, embeddings: 4 });
    expect(run.model.propagation).toEqual([]);
  });

  test('a host to forward to that is not allowed: nothing is sent', async () => {
    const agent = await openAgent(answerOnce);
    const { ended } = await startInside(agent, {
      sessions: 5,
      model: { forward: { openai: 'https://api.example.com/v1' } },
    });
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(joined(stderr)).toContain('api.example.com');
    expect(joined(stderr)).toMatch(/allowHosts|--allow-host/);
    expect(agent.turns).toEqual([]);
  });

  test('a fleet: refused before anything is sent', async () => {
    const agent = await openAgent(answerOnce);
    const { ended } = await startInside(agent, { sessions: 5 }, ['--fleet', 'redis://127.0.0.1:1', '--shards', '2']);
    const { code, stderr } = await ended;
    expect(code).toBe(2);
    expect(joined(stderr)).toMatch(/model cannot be run by a fleet/);
    expect(agent.turns).toEqual([]);
  });

  test('keys: a call with another key is rejected, and no key is written anywhere', async () => {
    const key = 'sk-known-key-of-the-model';
    const agent = await openAgent(async ({ call }) => {
      await call({ headers: { authorization: 'Bearer sk-wrong' } });
      return { text: (await call({ headers: { authorization: `Bearer ${key}` } })).text };
    });
    const started = await startInside(agent, { sessions: 6, model: { keys: [key] } });
    const { stdout, stderr } = await started.ended;
    const [name = ''] = await readdir(started.out);
    const written = await readFile(join(started.out, name), 'utf8');
    expect(agent.calls.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => [401, 200]).flat());
    for (const text of [stdout, stderr, written]) expect(text).not.toContain(key);
  });
});

describe('calls that are forwarded', () => {
  test('reach the real service unchanged, and are measured', async () => {
    const received: { headers: IncomingHttpHeaders; url: string; body: string }[] = [];
    const reply = JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'real-model',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'From the real one.' } }],
      usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
    });
    const busy = JSON.stringify({ error: { message: 'Overloaded', type: 'server_error' } });
    const upstream = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        received.push({ headers: request.headers, url: request.url ?? '', body });
        const isBusy = received.length % 3 === 0;
        response.writeHead(isBusy ? 529 : 200, { 'content-type': 'application/json' }).end(isBusy ? busy : reply);
      });
    }).listen(0, '127.0.0.1');
    onTestFinished(() => {
      upstream.closeAllConnections();
      upstream.close();
    });
    await once(upstream, 'listening');
    const { port } = upstream.address() as AddressInfo;
    const key = 'sk-secret-of-the-provider';
    const agent = await openAgent(async ({ call }) => {
      const { status, text } = await call({ headers: { authorization: `Bearer ${key}`, 'x-own': 'kept' } });
      return { text: status === 200 ? text : 'Later.' };
    });
    const forward = { openai: `http://127.0.0.1:${String(port)}/v1` };
    const prices = { 'real-model': { input: 2, output: 8 } };
    const run = await runInside(agent, { sessions: 12, load: { concurrency: 2 }, prices, model: { forward } });
    expectLedger(run, agent);
    expectTraced(run);
    expectParts(run);
    expect(received).toHaveLength(12);
    for (const { headers, url, body } of received) {
      expect(url).toBe('/v1/chat/completions');
      expect(headers).toMatchObject({
        authorization: `Bearer ${key}`,
        'x-own': 'kept',
        host: `127.0.0.1:${String(port)}`,
      });
      expect(JSON.parse(body)).toMatchObject({ model: 'model-a', messages: [{ role: 'user' }] });
    }
    expect(run.model.byOutcome).toMatchObject({ ok: 8, upstream_failed: 4 });
    expect(run.model.tokens).toMatchObject({ input: 88, output: 40, reportedCalls: 8 });
    expect(run.result.cost?.total).toBe((8 * (11 * 2000 + 5 * 8000)) / 1e9);
    expect(JSON.stringify(run.result) + run.ended.stdout + run.ended.stderr).not.toContain(key);
  });
});
