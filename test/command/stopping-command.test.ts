import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import type { Result } from '../../src/result/result.ts';
import { embeddedDefaults, embeddedOptions, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { messagesPath } from '../../src/protocol/chat-messaging/api.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { calibratedHere } from '../support/calibrated-here.ts';

const env = { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey };
const agent = ['--agent-id', embeddedDefaults.agentId];

async function serve(options: EmbeddedOptions = {}): Promise<RunningService> {
  const service = await startService(embeddedOptions.parse({ latency: '5ms', ...options }), {
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(async () => {
    await service.close();
  });
  return service;
}

/** A service that can be made to refuse every message from now on, or to stop listening. */
async function openMoody() {
  let mood: 'well' | 'unwell' = 'well';
  let messages = 0;
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const isMessage = request.url === messagesPath;
      if (isMessage) messages += 1;
      const { sessionId = 's' } = JSON.parse(body) as { sessionId?: string };
      const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
      const reply = {
        response: 'Hi.',
        chatId: `c${String(messages)}`,
        sessionId,
        isSession: true,
        ...dates,
        price: 0.01,
      };
      if (mood === 'unwell') response.writeHead(500).end('{"success":false,"error":"Internal server error"}');
      else if (isMessage) response.end(JSON.stringify({ success: true, data: reply }));
      else response.writeHead(201).end(JSON.stringify({ data: { sessionId: `s${String(Math.random())}` } }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const leave = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(leave);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    baseUrl: `http://127.0.0.1:${String(port)}`,
    sicken: () => (mood = 'unwell'),
    leave,
    messages: () => messages,
  };
}

interface Stopped extends Ended {
  result: Result;
}

/** In this process, or by the built command where the service at work in this one would make the generator late. */
type Way = (words: readonly string[]) => Promise<Ended>;
const here: Way = (words) => performCommand(words, env);
const built: Way = (words) => runCommand(words, { env });

/** Runs a scenario against a service, acts on the service halfway, and reads the remaining files. */
async function perform(scenario: string, baseUrl: string, more: readonly string[] = [], way = here): Promise<Stopped> {
  const folder = await makeFolder();
  const path = await writeScenario(folder, scenario);
  const ended = await way(['run', path, '--out', folder, '--base-url', baseUrl, ...agent, ...more]);
  const result = await readResult(folder);
  expect([result.books.balanced, result.books.broken]).toEqual([true, []]);
  return { ...ended, result };
}

const long = (more: string): string =>
  `{ name: 'long', duration: '10m', load: { concurrency: 5 }, turns: 3, thinkTime: '20ms', messages: ['Hi'],
     variableValues: { customerName: 'Ada', orderNumber: 1 }, retry: 'none', ${more} }`;

/** Open load: with closed load, immediate failures would be retried as fast as the processor allows. */
const steady = (more: string): string =>
  long(more).replace('load: { concurrency: 5 }', 'load: { sessionsPerSecond: 20 }');

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe('a run without progress exits 3, with the first error and a complete result', () => {
  test('when the target is unreachable', async () => {
    const service = await openMoody();
    const running = perform(steady("stopWhen: { targetGone: '800ms' }"), service.baseUrl);
    await until(() => service.messages() > 10);
    service.leave();
    const { code, stderr, stdout, result } = await running;
    expect([code, result.run.status, result.run.stop?.kind]).toEqual([3, 'stopped', 'target_gone']);
    expect(stderr).toMatch(
      /error The run was stopped: the target could not be reached for \d+ s\. \d+ attempts failed/,
    );
    expect(stderr).toContain('connect_failed: ');
    expect(stderr).toContain(`ECONNREFUSED, 127.0.0.1:${String(service.port)}`);
    expect(stdout).toMatch(/^stopped +the target could not be reached/m);
  });

  test('when no turn is ok any longer', async () => {
    const service = await openMoody();
    const running = perform(steady("stopWhen: { noSuccess: '800ms' }"), service.baseUrl, ['--quiet']);
    await until(() => service.messages() > 10);
    service.sicken();
    const { code, stderr, result } = await running;
    expect([code, result.run.status, result.run.stop?.kind]).toEqual([3, 'stopped', 'no_success']);
    expect(stderr).toMatch(/no turn was ok for \d+ s\. \d+ attempts failed, the first with internal_error: status 500/);
  });
});

test('a gate with abort exits 1 and is named', async () => {
  const service = await openMoody();
  const gates = "gates: { 'turns.failedShare': { gate: '< 5%', abort: true } }, stopWhen: { noSuccess: false }";
  const running = perform(steady(gates), service.baseUrl);
  await until(() => service.messages() > 10);
  service.sicken();
  const { code, stderr, stdout, result } = await running;
  expect([code, result.run.status, result.run.stop?.kind]).toEqual([1, 'stopped', 'gate']);
  for (const shown of [stderr, stdout]) expect(shown).toContain('the gate turns.failedShare < 5% failed');
});

describe('a run that ends at its own limit exits by its verdicts', () => {
  test.each([
    ['passes', "gates: { 'turns.failedShare': '< 5%' }", 0],
    ['fails', "gates: { 'turn.p50': '< 0ms' }", 1],
  ])('at its longest duration, with a gate that %s', async (_, gates, expected) => {
    const { baseUrl } = await serve();
    const { code, stderr, result } = await perform(long(gates), baseUrl, ['--max-duration', '500ms']);
    expect([code, result.run.status]).toEqual([expected, 'stopped']);
    expect(result.run.stop).toMatchObject({ kind: 'max_duration', reason: 'maxDuration (0.5 s) was reached' });
    // A timer may fire a fraction of a millisecond early.
    expect(result.run.stop?.atMs).toBeGreaterThan(490);
    expect(stderr).toContain('The run was stopped: maxDuration (0.5 s) was reached.');
  });

  test.each([
    ['--max-turns', 'maxTurns (60) was reached'],
    ['--max-sessions', 'maxSessions (60) was reached'],
  ])('at %s, which the service sees kept', async (flag, why) => {
    // They strike at the start, so that no retry is left for the cap to keep back.
    const { baseUrl, stats } = await serve({ faults: [{ kind: 'rate_limited', retryAfter: '0s', first: 8 }] });
    const many = long('')
      .replace("retry: 'none'", "retry: { base: '5ms' }")
      .replace('concurrency: 5', 'concurrency: 20');
    const { code, stdout, result } = await perform(many, baseUrl, [flag, '60'], built);
    expect([code, result.run.status, result.run.stop]).toMatchObject([0, 'stopped', { kind: 'cap', reason: why }]);
    expect(stdout).toMatch(new RegExp(`^stopped +${why.replaceAll(/[()]/g, '\\$&')}$`, 'm'));
    const { messages, creates } = stats();
    const seen = flag === '--max-turns' ? messages.received : creates.received;
    expect(seen).toBe(60);
    expect([result.spending.turns, result.spending.sessions]).toEqual([messages.received, creates.received]);
  });

  test('at --max-cost, by the function of the scenario', async () => {
    const { baseUrl, stats } = await serve({ costPerTurn: 0.25 });
    const { code, stdout, result } = await perform(long('cost: (data) => data.cost'), baseUrl, ['--max-cost', '10']);
    expect([code, result.run.stop?.kind]).toEqual([0, 'cap']);
    expect(result.run.stop?.reason).toMatch(/^maxCost \(10\) was reached: replies cost 1[01]/);
    expect(result.spending.cost).toBe(stats().messages.received * 0.25);
    // Concurrency is 5: requests in flight when the cost limit is reached are added.
    expect(stats().messages.received).toBeLessThan(40 + 5);
    expect(stdout).toMatch(/^cost +1[01][\d.]* for 4\d messages/m);
  });

  test('a function of cost that fails exits 2 and names where', async () => {
    const { baseUrl } = await serve();
    const { code, stderr, result } = await perform(long('cost: (data) => data.price'), baseUrl);
    expect([code, result.run.stop?.kind]).toEqual([2, 'scenario_error']);
    expect(stderr).toMatch(
      /function cost of the scenario failed in session \d+, turn 1: it returned nothing, not a number/,
    );
  });

  test('a limit on cost without a function is rejected', async () => {
    const folder = await makeFolder();
    const path = await writeScenario(folder, long(''));
    const { code, stderr } = await performCommand(['run', path, '--max-cost', '3'], {}, folder);
    expect(code).toBe(2);
    expect(stderr).toContain('--max-cost: needs cost, a function of the reply');
  });
});

test('closing the terminal drains the run, even after repeated hang-ups, and the result is written', async () => {
  const folder = await makeFolder();
  const { baseUrl, stats } = await serve({ latency: '150ms' });
  const path = await writeScenario(folder, long("timeout: '10m', gracePeriod: '10m'"));
  const words = ['run', path, '--out', folder, '--base-url', baseUrl, ...agent];
  const { child, ended } = startCommand(words, { env });
  await until(() => stats().messages.inProgress > 0);
  child.stdout?.destroy();
  for (const signal of ['SIGHUP', 'SIGHUP', 'SIGHUP'] as const) child.kill(signal);
  const { code } = await ended;
  const { run, books } = await readResult(folder);
  expect([code, run.status, run.stop?.kind, books.turns.aborted]).toEqual([129, 'interrupted', 'signal', 0]);
  expect(run.stop?.reason).toBe('stopped by SIGHUP');
});

test('a third signal exits at once, without a result', async () => {
  const folder = await makeFolder();
  const { baseUrl, stats } = await serve({ latency: '30s' });
  const path = await writeScenario(folder, long("timeout: '10m', gracePeriod: '10m'"));
  const words = ['run', path, '--out', folder, '--base-url', baseUrl, ...agent];
  const { child, ended } = startCommand(words, { env });
  await until(() => stats().messages.inProgress > 0);
  child.kill('SIGINT');
  await once(child.stderr ?? child, 'data');
  // Both have arrived when the process continues: nothing happens between the second and the third.
  for (const signal of ['SIGSTOP', 'SIGTERM', 'SIGINT', 'SIGCONT'] as const) child.kill(signal);
  const { code, stderr } = await ended;
  expect([code, (await readdir(folder)).filter((name) => name.endsWith('.json'))]).toEqual([130, []]);
  expect(stderr).toContain('A third signal exits without it.');
});

describe('a target on another machine', () => {
  const remote = 'http://agent.example:8443/v1';
  const scenario = "{ name: 'x', sessions: 1, messages: ['Hi'] }";
  const refusal = 'The target agent.example:8443 is neither this machine';

  test.each([
    ['run', ['run', 'scenario.mjs', '--base-url', remote]],
    ['run --dry-run', ['run', 'scenario.mjs', '--dry-run', '--base-url', remote]],
    ['ab, of the base', ['ab', 'scenario.mjs', '--base', remote, '--head', 'http://127.0.0.1:1']],
    ['ab, of the head', ['ab', 'scenario.mjs', '--base', 'http://127.0.0.1:1', '--head', remote]],
    ['calibrate', ['calibrate', '--base-url', remote]],
    ['check', ['check', '--base-url', remote]],
    ['run, when another is named', ['run', 'scenario.mjs', '--base-url', remote, '--allow-host', 'other.example']],
  ])('is rejected by %s unless it is named', async (_, words) => {
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const { code, stderr } = await performCommand([...words, ...agent], env, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(refusal)]);
    expect(stderr).toContain(
      '--allow-host agent.example:8443, CHAT_LOAD_ALLOW_HOSTS=agent.example:8443, or allowHosts',
    );
  });

  test.each([
    ['a flag', '', ['--allow-host', 'other.example', '--allow-host', '0.0.0.0'], {}],
    ['the environment', '', [], { CHAT_LOAD_ALLOW_HOSTS: 'other.example, 0.0.0.0' }],
    ['the scenario', "allowHosts: ['0.0.0.0']", [], {}],
  ])('that is named by %s is loaded', async (_, more, words, around) => {
    const { baseUrl, stats } = await serve();
    const folder = await makeFolder();
    await writeScenario(folder, scenario.replace(' }', `, ${more} }`));
    // Not a loopback address, but it leads to this machine.
    const words_ = ['--base-url', baseUrl.replace('127.0.0.1', '0.0.0.0'), ...agent, ...words];
    const { code } = await performCommand(['run', 'scenario.mjs', ...words_], { ...env, ...around }, folder);
    expect([code, stats().messages.received]).toEqual([0, 1]);
  });
});

describe('a dry run', () => {
  const scenario = long("maxTurns: 1000, gates: { 'turn.p95': { gate: '< 2s', abort: true } }");

  test('of run shows the output of plan, and opens no connection', async () => {
    const { baseUrl, stats } = await serve();
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const words = ['scenario.mjs', '--base-url', baseUrl, ...agent];
    const dry = await performCommand(['run', ...words, '--dry-run'], env, folder);
    const plan = await performCommand(['plan', ...words], env, folder);
    expect([dry.code, dry.stdout, stats().connections.total]).toEqual([0, plan.stdout, 0]);
    expect(dry.stdout).toContain('Nothing was sent.');
    expect(dry.stdout.replace(/\s+/g, ' ')).toMatch(
      /stops early after 1,000 messages \(in about [^)]+\), if the gate on turn\.p95 fails/,
    );
    expect(await readdir(`${folder}/results`)).toEqual([]);
  });

  test('of ab shows both sides', async () => {
    const { baseUrl, stats } = await serve();
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const head = baseUrl.replace('127.0.0.1', 'localhost');
    const words = ['ab', 'scenario.mjs', '--base', baseUrl, '--head', head, ...agent, '--dry-run'];
    const { code, stdout } = await performCommand(words, env, folder);
    expect([code, stats().connections.total]).toEqual([0, 0]);
    for (const shown of [baseUrl, head, '5 of base, 5 of head']) expect(stdout).toContain(shown);
  });

  test.each([
    ['a gate that there is none of', "gates: { 'turn.p94': '< 2s' }", 'did you mean'],
    ['a gate that cannot stop a run', "gates: { validity: { gate: '>= valid', abort: true } }", 'cannot stop a run'],
  ])('refuses %s', async (_, gates, words) => {
    const folder = await makeFolder();
    await writeScenario(folder, long(gates));
    const { code, stderr } = await performCommand(['run', 'scenario.mjs', '--dry-run'], {}, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test('refuses a folder that cannot be written to', async () => {
    const folder = await makeFolder();
    await writeScenario(folder, scenario);
    const words = ['run', 'scenario.mjs', '--dry-run', '--out', 'scenario.mjs'];
    const { code } = await performCommand(words, {}, folder);
    expect([2, 3]).toContain(code);
  });
});

describe('calibrate', () => {
  test.each([
    [
      'of a scenario with a cap on cost',
      'cost: (data) => data.cost, maxCost: 1',
      [],
      2,
      'which calibrate does not count',
    ],
    ['of a scenario with a cap on turns keeps it', 'maxTurns: 40', ['--step-duration', '100ms'], 0, ''],
  ])('%s', async (_, more, words, expected, told) => {
    const { baseUrl, stats } = await serve();
    const folder = await makeFolder();
    await writeScenario(folder, long(more));
    const all = ['calibrate', 'scenario.mjs', '--base-url', baseUrl, ...agent, '--max-connections', '2', ...words];
    const { code, stderr } = await performCommand(all, { ...env, ...(await calibratedHere()) }, folder);
    expect([code, stderr]).toEqual([expected, expect.stringContaining(told)]);
    expect(stats().messages.received).toBeLessThanOrEqual(expected === 2 ? 0 : 40);
  });
});
