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

/** A service with these responses to creations or to every message. */
const always =
  (operation: string, answer: Omit<ReturnType<ServiceModel>, 'afterMs'>, afterMs = 100): ServiceModel =>
  (asked) =>
    asked === operation ? { afterMs, ...answer } : { afterMs };

describe('a target whose first ten operations all fail for good stops the run', () => {
  test.each<[string, ServiceModel, string]>([
    ['405 to creations', always('create', { status: 405, body: '' }), 'POST http://127.0.0.1:9/api/developer/chat/sessions -> 405 (http_other)'],
    ['a message of the service', always('create', { status: 422, body: '{"detail":[{"loc":["body"],"msg":"Field required:\\nmodel"}]}' }), '-> 422 (http_other): Field required: model'],
    ['creations without an id', always('create', { status: 201, body: '{"session":{"id":7}}' }), 'POST http://127.0.0.1:9/api/developer/chat/sessions -> 201 (contract_broken): no session id at data.sessionId: the reply has the key session'],
    ['an unknown agent', always('message', { status: 404, body: refused('Agent not found') }), 'POST http://127.0.0.1:9/api/developer/chat/messages -> 404 (agent_not_found): Agent not found'],
    ['chat switched off', always('message', { status: 400, body: refused('Agent does not have chat enabled') }), '-> 400 (chat_disabled): Agent does not have chat enabled'],
    ['missing fields', always('message', { status: 400, body: refused('Agent ID, message, and session ID are required') }), '-> 400 (missing_fields): Agent ID, message, and session ID are required'],
    ['replies without fields', always('message', { body: '{"success":true,"data":{}}' }), '-> 200 (contract_broken)'],
    ['pages', always('message', { body: '<html>' }), '-> 200 (malformed): status 200 whose body is not JSON'],
  ])('%s', async (_, model, words) => {
    const { result, served, stop, code } = await loaded(model);
    expect([result.run.status, stop?.kind, code]).toEqual(['stopped', 'target_unfit', 3]);
    expect(stop?.reason).toContain(words);
    expect(stop?.reason).toMatch(/^none of the first 10 (sessions could be created|messages got an ok reply), and retrying/);
    // Ten at a time: nine followed before the tenth failed at the same instant. Messages have their creations before them.
    expect(served.length).toBe(stop?.reason.includes('sessions could') === true ? 19 : 29);
  }); // prettier-ignore

  test('after the requests in flight with them', async () => {
    const { served, stop } = await loaded(always('create', { status: 404, body: '' }), { load: { concurrency: 25 } });
    expect([stop?.kind, served.length]).toEqual(['target_unfit', 25 + 9]);
  });

  test('after the number of operations set in the scenario', async () => {
    const { served, stop } = await loaded(always('create', { status: 404, body: '' }), {
      load: { concurrency: 1 },
      stopWhen: { unusable: 3 },
    });
    expect([stop?.kind, served.length]).toEqual(['target_unfit', 3]);
  });

  test.each<[string, Partial<Scenario>]>([
    ['a number of sessions', { sessions: 4 }],
    ['maxSessions', { maxSessions: 4 }],
    ['maxTurns', { maxTurns: 2 }],
    ['maxDuration', { maxDuration: '150ms' }],
    ['a duration', { duration: '150ms' }],
  ])('also when %s ended it before', async (_, bound) => {
    const { stop, code } = await loaded(always('message', { status: 404, body: refused('Agent not found') }), {
      load: { concurrency: 2 },
      ...bound,
    });
    expect([stop?.kind, code]).toEqual(['target_unfit', 3]);
  });

  test('also when attempts among them failed in a way that passes, and were retried', async () => {
    // The first attempts of two turns receive a 429; the turns end like all others.
    let messages = 0;
    const model: ServiceModel = (operation) => {
      if (operation === 'create') return { afterMs: 10 };
      const isSlowedDown = [3, 7].includes(++messages);
      return isSlowedDown
        ? { afterMs: 100, status: 429, body: refused('slow down') }
        : { afterMs: 100, status: 400, body: refused('bad thing') };
    };
    const { stop, code, result } = await loaded(model, { load: { concurrency: 2 } });
    expect([stop?.kind, code]).toEqual(['target_unfit', 3]);
    expect(stop?.reason).toMatch(/^none of the first 10 messages got an ok reply.*-> 400/);
    expect(result.outcomes.turns.bad_request).toBeLessThanOrEqual(11);
  });

  test('without the values of variables that the service quotes', async () => {
    const customer = { name: 'Ada', card: 'Card 4242"\n4242', ids: ['customer-8812345'] };
    const quoted = `no credit for ${JSON.stringify(customer)}: Card 4242"\n4242 of customer-8812345`;
    const model = always('message', { status: 400, body: refused(quoted) });
    const { result, stop } = await loaded(model, { variableValues: { customer } });
    expect(stop?.reason).toMatch(/\(bad_request\): no credit for .*"Ada".*: \[variable\] of \[variable\]$/);
    expect(result.examples.length).toBeGreaterThan(0);
    expect(JSON.stringify(result)).not.toMatch(/4242|8812345/);
  });

  test('with exit code 1 when every reply fails a check', async () => {
    const { stop, code, served } = await loaded(always('message', {}), { checks: { never: () => false } });
    expect([stop?.kind, code, served.length]).toEqual(['checks_failed', 1, 29]);
    expect(stop?.reason).toMatch(
      /^none of the first 10 messages got an ok reply that passes the checks\. .*check 'never' failed$/,
    );
  });

  test('as unfit when some replies fail a check and the others are malformed', async () => {
    let messages = 0;
    const model: ServiceModel = (operation) =>
      operation === 'message' && ++messages % 2 === 0 ? { afterMs: 100, body: '<html>' } : { afterMs: 100 };
    const { stop } = await loaded(model, { checks: { never: () => false } });
    expect([stop?.kind, stop?.reason]).toEqual(['target_unfit', expect.stringContaining('(malformed)')]);
  });
});

describe('a run continues if', () => {
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
    ['one turn of the first was ok', nth(9, { afterMs: 100 }, wrong)],
    ['one turn of the first gave up after failures that are retried', nth(9, { afterMs: 100, status: 500, body: refused('Internal server error') }, wrong), { retry: { maxAttempts: 1 } }],
    ['the provider fails every time', always('message', { status: 503 })],
    ['the provider fails every time and nothing is retried', always('message', { status: 503 }), { retry: 'none' }],
    ['nothing is created, for the service is overloaded', always('create', { status: 429, body: refused('slow down') })],
    ['what is wrong is retried by the author', always('message', { status: 404, body: refused('x') }), { retry: { classes: ['not_found'] } }],
    ['messages are refused for a while', always('message', { status: 409, body: refused('busy') })],
    ['the scenario says so', always('message', { status: 404, body: refused('x') }), { stopWhen: { unusable: false } }],
    ['failed checks are retried by the author', always('message', {}), { checks: { never: () => false }, retry: { classes: ['check_failed'], maxAttempts: 2 } }],
  ])('%s', async (_, model, scenario) => notUnfit(model, scenario)); // prettier-ignore
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

  test('reports the request, the response and the target of a redirect, without the key', async () => {
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
