import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodeOf } from '../../src/result/exit-code.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

const target = { baseUrl: 'http://127.0.0.1:9', agentId: 'a1', apiKey: 'sk-test' };
const refused = (error: string): string => JSON.stringify({ error });

async function loaded(model: ServiceModel, scenario: Partial<Scenario> = {}) {
  const { result, served } = await witness(
    { target, duration: '20s', load: { concurrency: 10 }, turns: 3, ...scenario },
    model,
  );
  expect([result.books.balanced, result.books.broken]).toEqual([true, []]);
  return { result, served, stop: result.run.stop, code: exitCodeOf(result) };
}

/** A service that creates sessions, or answers every message, like this. */
const always =
  (operation: string, answer: Omit<ReturnType<ServiceModel>, 'afterMs'>, afterMs = 100): ServiceModel =>
  (asked) =>
    asked === operation ? { afterMs, ...answer } : { afterMs };

describe('a target that never once answers well stops the run', () => {
  test.each<[string, ServiceModel, string]>([
    ['405 to creations', always('create', { status: 405, body: '' }), 'POST http://127.0.0.1:9/api/developer/chat/sessions -> 405 (http_other)'],
    ['creations without an id', always('create', { status: 201, body: '{"session":{"id":7}}' }), 'POST http://127.0.0.1:9/api/developer/chat/sessions -> 201 (contract_broken): no session id at data.sessionId: the reply has session'],
    ['an unknown agent', always('message', { status: 404, body: refused('Agent not found') }), 'POST http://127.0.0.1:9/api/developer/chat/messages -> 404 (agent_not_found)'],
    ['chat switched off', always('message', { status: 400, body: refused('Agent does not have chat enabled') }), '-> 400 (chat_disabled)'],
    ['missing fields', always('message', { status: 400, body: refused('Agent ID, message, and session ID are required') }), '-> 400 (missing_fields)'],
    ['replies without fields', always('message', { body: '{"success":true,"data":{}}' }), '-> 200 (contract_broken)'],
    ['pages', always('message', { body: '<html>' }), '-> 200 (malformed): status 200 whose body is not JSON'],
  ])('%s', async (_, model, words) => {
    const { result, served, stop, code } = await loaded(model);
    expect([result.run.status, stop?.kind, code]).toEqual(['stopped', 'target_unfit', 3]);
    expect(stop?.reason).toContain(words);
    // Ten at a time take 100 ms: in two seconds there are 200 of these, and a few beside them.
    expect(result.run.durationMs).toBeGreaterThanOrEqual(2000);
    expect(result.run.durationMs).toBeLessThan(2600);
    expect(served.length).toBeLessThan(500);
  }); // prettier-ignore

  test('only once there were fifty operations, where they are slow', async () => {
    const { result, served, stop } = await loaded(always('create', { status: 404, body: '' }, 900), {
      load: { concurrency: 4 },
    });
    expect([stop?.kind, stop?.reason]).toEqual(['target_unfit', expect.stringMatching(/^none of the first 5[0-4] sessions could be created/)]); // prettier-ignore
    expect(served.length).toBeLessThan(58);
    expect(result.run.durationMs).toBeGreaterThan(11_000);
  });
});

describe('a run goes on where', () => {
  const notUnfit = async (model: ServiceModel, scenario: Partial<Scenario> = {}): Promise<void> => {
    const { stop, result } = await loaded(model, { duration: '6s', ...scenario });
    expect([stop, result.run.durationMs >= 5900]).toEqual([null, true]);
  };
  const nth = (which: number, good: ReturnType<ServiceModel>, bad: ReturnType<ServiceModel>): ServiceModel => {
    let messages = 0;
    return (operation) => (operation === 'create' ? { afterMs: 10 } : ++messages === which ? good : bad);
  };
  const wrong = { afterMs: 100, status: 404, body: refused('Agent not found') };

  test.each<[string, ServiceModel, Partial<Scenario>?]>([
    ['one turn of the first was ok', nth(15, { afterMs: 100 }, wrong)],
    ['one failure of the first is of those that are retried', nth(15, { afterMs: 100, status: 500, body: refused('Internal server error') }, wrong)],
    ['the provider fails every time', always('message', { status: 503 })],
    ['the provider fails every time and nothing is retried', always('message', { status: 503 }), { retry: 'none' }],
    ['nothing is created, for the service is overloaded', always('create', { status: 429, body: refused('slow down') })],
    ['what is wrong is retried by the author', always('message', { status: 404, body: refused('x') }), { retry: { classes: ['not_found'] } }],
    ['the replies keep the contract and break a check', always('message', {}), { checks: { never: () => false } }],
  ])('%s', async (_, model, scenario) => notUnfit(model, scenario)); // prettier-ignore

  test('there are fewer than fifty of them', async () => {
    const { stop, result } = await loaded(always('create', { status: 404, body: '' }), {
      sessions: 49,
      load: { concurrency: 1 },
    });
    expect([stop, result.books.sessions.create_failed]).toEqual([null, 49]);
  });
});

describe('at the command', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));
  const serve = (listener: RequestListener): Promise<string> =>
    new Promise((resolve) => {
      const server = createServer(listener).listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`),
      );
      servers.push(server);
    });

  test('says what was asked, what came, and where a redirect leads, without the key', async () => {
    const location = 'https://agent.example/login?key=sk-very-secret-key\u0085[2J';
    const baseUrl = await serve((_, response) => {
      setTimeout(() => response.writeHead(302, { 'Content-Type': 'text/html; charset=utf-8', Location: location }).end('<html>'), 15);
    });
    const folder = await makeFolder();
    const path = await writeScenario(folder, "{ name: 'x', messages: ['Hi'], duration: '30s', load: { concurrency: 2 } }");
    const { code, stderr, stdout } = await performCommand(['run', path, '--base-url', baseUrl, '--agent-id', 'a', '--out', folder], { CHAT_LOAD_API_KEY: 'sk-very-secret-key' });
    expect(code).toBe(3);
    const told = `POST ${baseUrl}/api/developer/chat/sessions -> 302 text/html; charset=utf-8, Location: https://agent.example/login?key=[API key]`;
    expect(stderr).toContain(told);
    expect(stderr).toMatch(/base URL/);
    expect(stderr + stdout).not.toMatch(/sk-very-secret|\u0085/);
    const { run } = await readResult(folder);
    expect([run.status, run.stop?.kind, run.stop?.reason]).toEqual(['stopped', 'target_unfit', expect.stringContaining(told)]);
  }); // prettier-ignore
});
