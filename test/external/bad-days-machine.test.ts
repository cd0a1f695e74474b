import { execFile, type ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test, type TestContext } from 'vitest';
import { publishedSeries } from '../../src/record/series.ts';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, readResult, root, startCommand, writeScenario } from '../support/command.ts';
import { openSpoiltService } from '../support/spoilt-service.ts';
import { waitMs } from '../support/deadline.ts';

const main = join(root, 'dist/cli/main.js');
const isPosix = process.platform !== 'win32';
const exec = promisify(execFile);

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a shell script with `words` as `$0` and following; the environment has only a key of chat-load. */
async function shell(script: string, words: readonly string[]): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHAT_LOAD_'));
  const env = { ...Object.fromEntries(inherited), CI: 'true', CHAT_LOAD_API_KEY: 'chat-load-embedded-key' };
  return exec('sh', ['-c', script, ...words], { cwd: root, env, timeout: waitMs }).then(
    (ended) => ({ ...ended, code: 0 }),
    (failed: unknown) => failed as Ended, // A code that is not 0, with the output beside it.
  );
}

/** Registers cleanup after a test: tests run concurrently in this file. */
type Ending = Pick<TestContext, 'onTestFinished'>;

/** A folder with a scenario in it, for one test. */
async function place(scenario: string, { onTestFinished }: Ending): Promise<{ folder: string; path: string }> {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { folder, path: await writeScenario(folder, scenario) };
}

const reasonsOf = ({ validity }: Result): Record<string, { severity: string; message: string; remedy: string }> =>
  Object.fromEntries(validity.reasons.map((reason) => [reason.code, reason]));

const expectWhole = ({ books, run }: Result): void => {
  expect([run.status, books.balanced, books.broken]).toEqual(['completed', true, []]);
};

const connectFailures = ({ outcomes }: Result): number =>
  outcomes.attempts.connect_failed + outcomes.createAttempts.connect_failed;

describe.runIf(isPosix).concurrent('descriptors that run out during a run', () => {
  test.for(['127.0.0.1', 'localhost'])(
    "are reported as the generator's own lack, and the run ends whole (%s)",
    async (host, context) => {
      // Every answer takes unforeseeably long: sessions pile up beyond what may be open.
      const service = await openSpoiltService({
        message: (socket) => void setTimeout(() => socket.end('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'), 4000),
      });
      context.onTestFinished(() => service.down());
      const { folder, path } = await place(
        `{ name: 'short', duration: '4s', load: { sessionsPerSecond: 60, maxConcurrency: 300 }, messages: ['bad'], retry: 'none' }`,
        context,
      );
      const { port } = new URL(service.baseUrl);
      const words = ['run', path, '--base-url', `http://${host}:${port}`, '--agent-id', 'a', '--out', folder];
      const { code } = await shell('ulimit -n "$0" && exec "$@"', ['160', process.execPath, main, ...words]);
      const result = await readResult(folder);
      expectWhole(result);
      expect([code, result.validity.verdict]).toEqual([4, 'invalid']);
      const lacking = result.generator?.descriptorsExhausted ?? 0;
      expect(lacking).toBeGreaterThan(0);
      expect(lacking).toBe(connectFailures(result));
      expect(reasonsOf(result)['descriptors_exhausted']).toMatchObject({ severity: 'invalid' });
      expect(reasonsOf(result)['descriptors_exhausted']?.remedy).toContain('ulimit -n');
    },
  );
});

/** Reason why no network namespace is available; '' if it is. */
const noNetwork = await exec('unshare', [
  '-n',
  'sh',
  '-c',
  'ip link set lo up && sysctl -qw net.ipv4.ip_local_port_range="40000 40039"',
])
  .then(() => '')
  .catch((failed: unknown) => `no network namespace can be made here: ${String(failed)}`);

describe.concurrent('local ports that run out during a run', () => {
  test('are reported as a limit of the generator, and the run completes', async (context) => {
    if (noNetwork !== '') return context.skip(noNetwork);
    const { folder, path } = await place(
      `{ name: 'narrow', duration: '2s', load: { sessionsPerSecond: 60, maxConcurrency: 300 }, messages: ['Hi'], retry: 'none' }`,
      context,
    );
    // In a separate network: a loopback, 40 ports, and the reference service, which ends after the run.
    const script = `ip link set lo up && sysctl -qw net.ipv4.ip_local_port_range="40000 40039" || exit 99
      "$0" "$1" serve --port 30000 --latency 3s > "$3/serve.log" 2>&1 & served=$!
      for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 0.5; grep -q 30000 "$3/serve.log" && break; done
      "$0" "$1" run "$2" --base-url http://127.0.0.1:30000 --agent-id agent-support --out "$3"; code=$?
      kill $served; wait $served; exit $code`;
    const ended = await shell('exec unshare -n sh -c "$0" "$@"', [script, process.execPath, main, path, folder]);
    const result = await readResult(folder);
    expectWhole(result);
    expect([ended.code, result.validity.verdict]).toEqual([4, 'invalid']);
    const lacking = result.generator?.portsExhausted ?? 0;
    expect(lacking).toBeGreaterThan(0);
    expect(lacking).toBe(connectFailures(result));
    expect(reasonsOf(result)['ports_exhausted']).toMatchObject({ severity: 'invalid' });
    expect(result.books.turns.ok).toBeGreaterThan(0);
  });
});

interface UnderWay {
  child: ChildProcess;
  /** Waits for the command to end, and returns its complete result. */
  end: () => Promise<{ result: Result; stdout: string }>;
}

const perSecond = 50;

/** Starts the built command at 50 sessions per second for this long, and waits until it has sent for a second. */
async function start(seconds: number, ending: Ending, env: Record<string, string> = {}): Promise<UnderWay> {
  const service = await openSpoiltService({});
  ending.onTestFinished(() => service.down());
  const { folder, path } = await place(
    `{ name: 'bad day', duration: '${String(seconds)}s', load: { sessionsPerSecond: ${String(perSecond)} }, messages: ['Hi'] }`,
    ending,
  );
  const words = ['run', path, '--base-url', service.baseUrl, '--agent-id', 'a', '--out', folder];
  const { child, ended } = startCommand(words, { env: { CHAT_LOAD_API_KEY: 'sk-bad-days', ...env } });
  ending.onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  while (service.asked.length < 2 * perSecond && child.exitCode === null) await sleep(10);
  const end = async (): Promise<{ result: Result; stdout: string }> => {
    const { stdout } = await ended;
    const result = await readResult(folder);
    expectWhole(result);
    return { result, stdout: stdout.replace(/\s+/g, ' ') };
  };
  return { child, end };
}

const startsByInterval = ({ intervals }: Result): number[] => intervals.map(({ sessions }) => sessions.started);

describe.runIf(isPosix).concurrent('a wall clock that is set forward and back during a run', () => {
  test('affects no duration, and is reported as a doubt', async (context) => {
    const setClock = pathToFileURL(join(root, 'test/preload/set-clock.mjs')).href;
    const { child, end } = await start(4, context, { NODE_OPTIONS: `--import=${setClock}` });
    child.kill('SIGUSR2');
    await sleep(1000);
    child.kill('SIGUSR2');
    const { result, stdout } = await end();
    const minute = 60_000;
    const { planned, completed, not_started: unstarted } = result.books.sessions;
    // A busy machine may leave some at the end; a schedule that took the step would leave them all, or end at once.
    expect([planned, completed + unstarted]).toEqual([4 * perSecond, 4 * perSecond]);
    expect(completed).toBeGreaterThan(3 * perSecond);
    expect(result.run.durationMs).toBeGreaterThanOrEqual(3900);
    expect(result.run.durationMs).toBeLessThan(minute);
    expect(Date.parse(result.run.endedAt) - Date.parse(result.run.startedAt)).toBeLessThan(minute);
    for (const { name } of publishedSeries) expect(result.latency[name]?.maxMs ?? 0).toBeLessThan(minute);
    expect(result.intervals.every(({ startMs }) => startMs >= 0 && startMs < minute)).toBe(true);
    expect(result.generator?.clockJumpMs).toBeGreaterThan(3_590_000);
    expect(reasonsOf(result)['clock_jumped']?.severity).toBe('degraded');
    expect(reasonsOf(result)['clock_jumped']?.remedy).toContain('its clock from being set');
    expect(stdout).toContain('the wall clock and the monotonic clock drifted apart by');
  });
});

describe.runIf(isPosix).concurrent('a generator that', () => {
  test('is suspended for 3 s detects it, and catches up without a burst', async (context) => {
    const { child, end } = await start(9, context);
    child.kill('SIGSTOP');
    await sleep(3000);
    child.kill('SIGCONT');
    const { result } = await end();
    const { sessions } = result.books;
    expect(sessions.planned).toBe(9 * perSecond);
    expect(sessions.completed + sessions.failed + sessions.not_started).toBe(sessions.planned);
    expect(result.validity.verdict).toBe('invalid');
    expect(Object.keys(reasonsOf(result))).toEqual(expect.arrayContaining(['figures_doubtful', 'sessions_late']));
    expect(result.generator?.eventLoopDelayMaxMs).toBeGreaterThan(2500);
    expect(result.latency.sessionLateness.maxMs).toBeGreaterThan(1000);
    expect(Math.min(...startsByInterval(result).slice(0, 5))).toBe(0);
    // It then runs at most a tenth above its pace, plus the 100 ms that it may catch up at once.
    expect(Math.max(...startsByInterval(result))).toBeLessThanOrEqual(perSecond * 1.1 + perSecond * 0.1 + 2);
  });

  test('loses most of its processor time reports it', async (context) => {
    const { child, end } = await start(6, context);
    for (let turn = 0; turn < 12; turn++) {
      child.kill('SIGSTOP');
      await sleep(200);
      child.kill('SIGCONT');
      await sleep(50);
    }
    const { result } = await end();
    expect(result.validity.verdict).not.toBe('valid');
    expect(reasonsOf(result)).toHaveProperty('figures_doubtful');
    expect(Math.max(...startsByInterval(result))).toBeLessThanOrEqual(perSecond * 1.1 + perSecond * 0.1 + 2);
  });
});
