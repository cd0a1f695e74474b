import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, describe, expect, test } from 'vitest';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import type { ServiceClass } from '../../src/reference-service/books/service-class.ts';
import type { Result } from '../../src/result/result.ts';
import { embeddedOptions, embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { attemptClassNames, type AttemptClass } from '../../src/protocol/outcome.ts';
import { makeFolder, readResult, runCommand, startCommand, writeScenario } from '../support/command.ts';

const services: RunningService[] = [];
/** Event loop delay of this process, which runs the services. */
const serviceDelay = monitorEventLoopDelay();
serviceDelay.enable();
afterAll(async () => {
  serviceDelay.disable();
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const share = 0.03;
/** Every kind of fault, on messages; creations have some additional ones. */
const everyFault: NonNullable<EmbeddedOptions['faults']> = [
  { kind: 'rate_limited', share },
  { kind: 'rate_limited', retryAfter: '0s', share },
  { kind: 'rate_limited', retryAfter: 'soon', share },
  { kind: 'internal_error', share },
  { kind: 'server_error', status: 502, share },
  { kind: 'provider', status: 503, share },
  { kind: 'provider', status: 429, share },
  { kind: 'provider', status: 418, share },
  { kind: 'http', status: 302, share },
  { kind: 'http', status: 400, body: '{"error":"no"}', share },
  { kind: 'http', status: 404, body: 'gone', share },
  { kind: 'reset', share },
  { kind: 'close', share },
  { kind: 'cut', share },
  { kind: 'hang', share: 0.005 },
  { kind: 'stall', for: '20ms', share },
  { kind: 'malformed', share },
  { kind: 'contract', breaks: 'other_session', share },
  { kind: 'rate_limited', share: 0.1, on: 'create' },
  { kind: 'internal_error', share: 0.05, on: 'create' },
  { kind: 'reset', share: 0.05, on: 'create' },
];

async function serve(options: EmbeddedOptions): Promise<RunningService> {
  const service = await startService(embeddedOptions.parse(options), { host: '127.0.0.1', port: 0 });
  services.push(service);
  return service;
}

const workload = (load: string, latency = '15ms'): [EmbeddedOptions, string] => [
  { latency: { median: latency as '5ms', sigma: 0.5 }, faults: everyFault },
  `{
    name: 'books', ${load}, turns: { min: 2, max: 6 }, timeout: '10s', onFailedTurn: 'continue', gracePeriod: '50s',
    retry: { one: { maxAttempts: 3, base: '5ms', cap: '20ms' }, two: { maxAttempts: 2, base: '1ms', jitter: 'equal' } },
    variableValues: { customerName: 'Ada', orderNumber: '{{session.number}}' }, messages: ['Hello', 'And now?'],
    // A guard counts replies of another session as its own finding, the service as broken contracts.
    integrity: false,
  }`,
];

const target = (service: RunningService): { words: string[]; env: Record<string, string> } => ({
  words: ['--base-url', service.baseUrl, '--agent-id', embeddedDefaults.agentId],
  env: { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey },
});

/** Attempt class on the client for each class of the service. */
const asClient: Partial<Record<ServiceClass, AttemptClass>> = {
  reset: 'connection_lost',
  closed: 'connection_lost',
  cut: 'connection_lost',
  hung: 'timed_out',
  abandoned: 'timed_out',
};

type Counts = Record<AttemptClass, number>;

function countsOf(classes: Readonly<Record<ServiceClass, number>>): Counts {
  const counts = Object.fromEntries(attemptClassNames.map((name) => [name, 0])) as Counts;
  for (const [name, count] of Object.entries(classes) as [ServiceClass, number][])
    counts[asClient[name] ?? (name as AttemptClass)] += count;
  return counts;
}

/** Longest delay of the process, and longest wait for a reply; replies then stay within the timeout, which is 20 times as long. */
const heldUpMs = 500;

/**
 * Class by class. A reply after the time limit is a time-out at the client, whatever the service sent: one is in order
 * only if the machine held up the client or the service.
 */
function expectSameClasses(classes: Readonly<Record<ServiceClass, number>>, attempts: Counts, delayMs: number): void {
  const served = countsOf(classes);
  const late = attempts.timed_out - served.timed_out;
  const surplus = attemptClassNames.filter((name) => name !== 'timed_out').map((name) => served[name] - attempts[name]);
  expect(Math.min(late, ...surplus)).toBeGreaterThanOrEqual(0);
  expect(surplus.reduce((sum, count) => sum + count, 0)).toBe(late);
  if (delayMs < heldUpMs) expect(late).toBe(0);
}

function expectSameBooks({ outcomes, books, generator, latency }: Result, service: RunningService): void {
  const { messages, creates, sessions } = service.stats();
  // Requests also queue before a process that gets little of the processor and never stalls for long.
  const longest = [generator?.eventLoopDelayMaxMs, latency.sessionCreate.maxMs, latency.attempt.ok.maxMs];
  const delayMs = Math.max(serviceDelay.max / 1e6, ...longest.map((each) => each ?? Infinity));
  expectSameClasses(messages.classes, outcomes.attempts, delayMs);
  expectSameClasses(creates.classes, outcomes.createAttempts, delayMs);
  // The service has created a session, too, if its client no longer waited for the reply.
  const createdLate = creates.classes.ok - outcomes.createAttempts.ok;
  expect([messages.received, creates.received, sessions.created]).toEqual([
    books.attempts.total,
    books.createAttempts.total,
    books.sessions.created + createdLate,
  ]);
  expect([books.balanced, books.broken]).toEqual([true, []]);
}

// They wait for most of their time, and have a service each.
describe.concurrent('the counts of a run equal those of the service, class by class, with every kind of fault', () => {
  test.each([
    ['at closed load', "sessions: 80, load: { concurrency: 25, rampUp: '200ms' }"],
    ['at open load', "duration: '1s', load: { sessionsPerSecond: 80, arrivals: 'poisson' }"],
    [
      'with a warm-up and a bound on turns in flight',
      "duration: '1500ms', warmUp: '600ms', load: { concurrency: 20, maxTurnsInFlight: 8 }",
    ],
  ])('%s', async (_, load) => {
    const [options, scenario] = workload(load);
    const service = await serve(options);
    const folder = await makeFolder();
    const { words, env } = target(service);
    const ended = await runCommand(
      ['run', await writeScenario(folder, scenario), '--out', folder, '--quiet', ...words],
      { env },
    );
    const result = await readResult(folder);
    // A machine that is too slow for the load makes the run invalid, but its counters must still be consistent.
    const isValid = result.validity.verdict !== 'invalid';
    expect([result.run.status, ended.code]).toEqual(['completed', isValid ? 0 : 4]);
    if (isValid) expect(ended.stderr).toBe('');
    if (load.includes('warmUp'))
      expect([service.stats().messages.received, result.books.balanced]).toEqual([result.books.attempts.total, true]);
    else expectSameBooks(result, service);
    const seen = Object.values(result.outcomes.attempts).filter((count) => count > 0).length;
    expect(seen).toBeGreaterThanOrEqual(13);
  });

  test('after a drain by one signal', async () => {
    const [options, scenario] = workload("duration: '10m', load: { concurrency: 25 }");
    const service = await serve(options);
    const folder = await makeFolder();
    const { words, env } = target(service);
    const { child, ended } = startCommand(['run', await writeScenario(folder, scenario), '--out', folder, ...words], {
      env,
    });
    await until(() => service.stats().messages.received > 300);
    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    const result = await readResult(folder);
    expect([code, result.run.status]).toEqual([143, 'interrupted']);
    expect(stderr).toContain('active ones may finish');
    expectSameBooks(result, service);
    expect(result.books.sessions).toMatchObject({ cut: 0, create_cut: 0 });
  });

  test('after a cut by two signals, except for requests whose end neither side can know', async () => {
    const [options, scenario] = workload("duration: '10m', load: { concurrency: 25 }", '400ms');
    const service = await serve(options);
    const folder = await makeFolder();
    const { words, env } = target(service);
    const { child, ended } = startCommand(['run', await writeScenario(folder, scenario), '--out', folder, ...words], {
      env,
    });
    await until(() => service.stats().messages.received > 60);
    child.kill('SIGINT');
    child.stderr?.once('data', () => child.kill('SIGINT'));
    const { code } = await ended;
    await until(() => service.stats().messages.inProgress === 0 && service.stats().connections.open === 0);
    const result = await readResult(folder);
    expect([code, result.run.status, result.books.balanced]).toEqual([130, 'interrupted', true]);
    const { attempts } = result.outcomes;
    const served = countsOf(service.stats().messages.classes);
    expect(attempts.aborted).toBeGreaterThan(0);
    expect(result.books.sessions.cut + result.books.sessions.create_cut).toBeGreaterThan(0);
    // An attempt in flight when it is cut may have been answered, refused, or never read: the service may count it as
    // anything, the client counts it as aborted. Beyond those the books agree.
    const beyond = attemptClassNames.reduce(
      (sum, name) => sum + (name === 'aborted' ? 0 : Math.max(0, attempts[name] - served[name])),
      0,
    );
    const more = attemptClassNames.reduce((sum, name) => sum + Math.max(0, served[name] - attempts[name]), 0);
    expect(beyond).toBe(0);
    expect(more).toBeLessThanOrEqual(attempts.aborted);
  });
});

/** Polls until a condition holds; the time limit of the test ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
