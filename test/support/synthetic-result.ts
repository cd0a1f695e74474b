import { instant } from '../../src/base/time.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { createRecorder, type Recorder } from '../../src/record/recorder.ts';
import type { Snapshot } from '../../src/record/snapshot.ts';
import type { GeneratorHealth } from '../../src/result/sections/generator-health.ts';
import { buildResult, type ResultParts, type Result } from '../../src/result/result.ts';
import type { RunFacts } from '../../src/result/sections/run-facts.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { planFor, syntheticRun, tellAll } from './synthetic-run.ts';

/** Records the reported events in order, and returns the snapshot at `endMs`. */
export function snapshotOf(plan: Plan, endMs: number, tell: (recorder: Recorder) => void): Snapshot {
  const recorder = createRecorder({ plan, startedAt: instant(0), defer: (run) => run() });
  tell(recorder);
  return recorder.snapshot(instant(endMs));
}

/** Returns a plan and the snapshot of a finished synthetic run of it. */
export function finishedRun(
  scenario: Partial<Scenario> = {},
  { isStreamed = false }: { isStreamed?: boolean } = {},
): { plan: Plan; snapshot: Snapshot } {
  const plan = planFor({ sessions: 300, ...scenario });
  const told = syntheticRun({ sessions: plan.sessions ?? 300, policies: plan.retry.length, isStreamed });
  const end = Math.ceil(told.at(-1)?.at ?? 0);
  return { plan, snapshot: snapshotOf(plan, end, (observer) => tellAll(told, observer)) };
}

export const healthy: GeneratorHealth = {
  cpuShare: 0.2,
  cpuShareMax: 0.4,
  eventLoopBusyMax: 0.45,
  eventLoopDelayP50Ms: 0.1,
  eventLoopDelayP99Ms: 3,
  eventLoopDelayMaxMs: 12,
  readDelayP50Ms: 0.1,
  readDelayP99Ms: 0.8,
  readDelayMaxMs: 1.2,
  gcPauseTotalMs: 40,
  gcPauseMaxMs: 4,
  gcPauseShare: 0.004,
  rssMaxBytes: 120_000_000,
  heapMaxBytes: 50_000_000,
  clockJumpMs: 0.4,
  descriptorsExhausted: 0,
  portsExhausted: 0,
};

export const runFacts: RunFacts = {
  id: 'run-1',
  salt: 'a0a0a0a0',
  label: null,
  sitting: null,
  pair: null,
  startedAt: '2026-01-31T14:25:30.000Z',
  endedAt: '2026-01-31T14:25:40.000Z',
  status: 'completed',
  stop: null,
  toolVersion: '0.1.0',
};

export const machine = {
  host: 'lab',
  cpuModel: 'a processor',
  cores: 2,
  memoryBytes: 8e9,
  os: 'Linux 6',
  arch: 'x64',
  nodeVersion: '20.19.0',
};

/** A machine and a generator without any problem. */
export const surroundings: Omit<ResultParts, 'plan' | 'snapshot' | 'run'> = {
  environment: { ...machine, calibrationMs: null, git: null, workers: null, startSkewMs: null },
  generator: healthy,
  traffic: { sentBytes: 1e6, receivedBytes: 2e6, connectionsOpened: 30 },
  transport: null,
  warnings: [],
};

/** The result of a run, with facts made up around it. */
export function resultOf(run: Pick<ResultParts, 'plan' | 'snapshot'>, other: Partial<ResultParts> = {}): Result {
  return buildResult({ run: runFacts, ...surroundings, ...run, ...other });
}
