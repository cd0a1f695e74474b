import { readdir } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { calibrationKey } from '../../src/app/run/publish-run.ts';
import { calibrateMachine, type HeldLoad } from '../../src/app/calibrate/calibrate-machine.ts';
import { performCalibration } from '../../src/app/calibrate/perform-calibration.ts';
import { performRecovery } from '../../src/app/recover.ts';
import { ms } from '../../src/base/time.ts';
import { keepCalibration } from '../../src/edge/disk/calibration-file.ts';
import { describeEnvironment } from '../../src/edge/health/describe-environment.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { CalibratedLoad, Calibration } from '../../src/result/sections/calibration.ts';
import { makeFolder, readResult, runCommand, writeScenario } from '../support/command.ts';
import { writeSyntheticJournal } from '../support/synthetic-journal.ts';

const load: HeldLoad = { turnsPerSecond: 1000, holdMs: 35, turns: 700 };
const warmUp: HeldLoad = { ...load, turns: 100 };
const sendingMs = { warmUp: 200, measured: 500 };

async function calibrateOnce(): Promise<CalibratedLoad> {
  const stop = new AbortController().signal;
  const measured = await calibrateMachine({
    loads: [load],
    warmUp,
    sendingMs,
    maxErrorMs: Infinity,
    stop,
    notify: () => undefined,
  });
  const [only] = measured?.loads ?? [];
  if (only === undefined) throw new Error('nothing was measured');
  return only;
}

/** Blocks this process, which is the generator, for `ms` out of every `2 * ms`. */
function slowDown(ms: number): () => void {
  const timer = setInterval(() => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  }, 2 * ms);
  return () => clearInterval(timer);
}

test('the error found by a calibration matches that of a slowed generator', async () => {
  const usual = await calibrateOnce();
  const release = slowDown(30);
  const slowed = await calibrateOnce().finally(release);
  // Half of all turns are due during a block and wait for its end; some replies arrive in one.
  expect(slowed.effective.p90Ms).toBeGreaterThan(15);
  expect(slowed.attempt.p99Ms).toBeGreaterThan(15);
  // The error does not include the responder's own time.
  expect(usual.attempt.p50Ms).toBeLessThan(load.holdMs / 2);
  expect(usual.effective.p50Ms).toBeLessThan(load.holdMs / 2);
});

test('a load that is measured too inaccurately ends a calibration, and is not in it', async () => {
  const stop = new AbortController().signal;
  const told: string[] = [];
  const notify = (text: string): void => void told.push(text);
  // No generator reads without any error.
  const measured = await calibrateMachine({
    loads: [load, { ...load, turns: 800 }],
    warmUp,
    sendingMs,
    maxErrorMs: 0,
    stop,
    notify,
  });
  expect(measured).toMatchObject({ loads: [], notCarried: load });
  const { turnsPerSecond = 0, cpuUsPerTurn = 0 } = measured?.sends ?? {};
  expect(turnsPerSecond * cpuUsPerTurn).toBeCloseTo(1e6);
  expect(turnsPerSecond).toBeGreaterThan(load.turnsPerSecond);
  expect(told).toEqual(['maximum rate', 'warming up', '1,000 turns/s, replies after 35 ms']);
});

test('a calibration that is stopped returns nothing', async () => {
  const controller = new AbortController();
  const notify = (text: string): void => {
    if (text.includes('turns/s')) controller.abort();
  };
  expect(await calibrateMachine({ loads: [load], warmUp, sendingMs, stop: controller.signal, notify })).toBeUndefined();
});

const errors = { p50Ms: 0.2, p90Ms: 0.3, p95Ms: 0.5, p99Ms: 1.1 };
const calibration: Calibration = {
  kind: 'chat-load/calibration',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  host: 'lab',
  machine: 'a processor',
  calibratedAt: '2026-01-31T14:00:00.000Z',
  sends: { turnsPerSecond: 50_000, cpuUsPerTurn: 20 },
  loads: [{ attemptsPerSecond: 1000, turnsInFlight: 50, turns: 700, attempt: errors, effective: errors }],
  notCarried: null,
};

test('a recovered run states the calibration of the machine that it ran on', async () => {
  const { path } = await writeSyntheticJournal('run-1', { calibration });
  expect((await performRecovery(path)).calibration?.largestErrors?.attempt).toEqual(errors);
});

test('a run reports the calibration of its machine, or that there is none', async () => {
  const folder = await makeFolder();
  const scenario = await writeScenario(folder, "{ name: 'small', sessions: 2, messages: ['Hi'], turns: 1 }");
  const kept = { ...calibration, ...calibrationKey(await describeEnvironment()) };
  const cache = `${folder}/cache`;
  await keepCalibration(kept, cache);

  const stated = await runCommand(['run', scenario, '--out', `${folder}/a`], { env: { CHAT_LOAD_CACHE: cache } });
  expect(stated.stdout).toMatch(/accuracy\s+error\s+bounds\s+at\s+this\s+load:\s+p50\s+±200\s+µs,\s+p99\s+±1.10\s+ms/);
  expect((await readResult(`${folder}/a`)).calibration?.largestErrors).toEqual({ attempt: errors, effective: errors });

  const none = await runCommand(['run', scenario, '--out', `${folder}/b`], {
    env: { CHAT_LOAD_CACHE: `${folder}/none` },
  });
  expect(none.stdout).not.toMatch(/^accuracy /m);
  expect((await readResult(`${folder}/b`)).calibration).toBeNull();
  expect(await readdir(folder)).not.toContain('none');
});

test('measures the embedded service and this machine without arguments, also if it is calibrated', async () => {
  const resolved = resolveScenario(
    { name: 'calibration', sessions: 1, turns: 5, messages: ['Where is it?'] },
    { flags: {}, environment: {}, hasFile: false },
  );
  const folder = await makeFolder();
  process.env['CHAT_LOAD_CACHE'] = folder;
  onTestFinished(() => void Reflect.deleteProperty(process.env, 'CHAT_LOAD_CACHE'));
  const load = { turnsPerSecond: 500, holdMs: 5, turns: 670 };
  const measure = (isOwn: boolean) =>
    performCalibration({
      resolved,
      isOwn,
      bounds: { maxConnections: 2, stepMs: ms(200), maxTurns: 2000 },
      stop: new AbortController().signal,
      notify: () => undefined,
      loads: [load],
      warmUp: { ...load, turns: 100 },
      maxErrorMs: Infinity,
      sendingMs: { warmUp: 300, measured: 700 },
    });
  const first = await measure(true);
  expect(first?.path).toContain(folder);
  expect(first?.document).toMatchObject({ kind: 'chat-load/calibration', limit: null });
  expect(first?.document.target).toMatchObject({ embedded: true, scenario: null, warnings: [] });
  expect(first?.document.target.ceiling?.turnsPerSecond).toBeGreaterThan(0);
  expect(first?.document.loads).toHaveLength(1);
  const ofScenario = await measure(false);
  expect([ofScenario?.path, ofScenario?.document.calibratedAt]).toEqual([undefined, first?.document.calibratedAt]);
  expect(ofScenario?.document.limit).not.toBeNull();
  const again = await measure(true);
  expect(again?.document.calibratedAt).not.toBe(first?.document.calibratedAt);
});
