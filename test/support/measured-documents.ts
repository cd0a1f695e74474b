import { buildProbe, type ProbeDocument } from '../../src/probe/build-probe.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Calibration } from '../../src/result/sections/calibration.ts';

const resolved = resolveScenario({ name: 'peak', messages: ['a'], sessions: 3 }, { flags: {}, environment: {} });
const load = { turnsPerSecond: 9.5, sent: 9, ok: 8, classes: { ok: 8, timed_out: 1 }, cpuShare: 0.1, elapsedMs: 1000 };

/** Returns the document of a probe with default sessions, or with those of a scenario. */
export function probeOf(isOwn: boolean): ProbeDocument {
  return buildProbe(
    {
      startedAt: '2026-01-01T00:00:00.000Z',
      elapsedMs: 20_000,
      toolVersion: '0',
      embedded: false,
      turnsSent: 18,
      baseUrl: 'http://x/',
      end: 'most_connections' as const,
      unsteady: true,
      refused: undefined,
      warnings: [],
      steps: [{ connections: 1, autocannon: null, chatLoad: { ...load, example: 'timed_out: no reply' } }],
      generator: { turnsPerSecond: 5000, cpuUsPerTurn: 200, askedPerSecond: 4900, connections: 32 },
    },
    { ...resolved, isOwn },
  );
}

const errors = { p50Ms: 0.1, p90Ms: 0.2, p95Ms: 0.3, p99Ms: 0.4 };
/** A calibration with one load, and one that was too much. */
export const calibration: Calibration = {
  kind: 'chat-load/calibration',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  host: 'lab',
  machine: 'a processor',
  calibratedAt: '2026-01-31T14:00:00.000Z',
  loads: [{ attemptsPerSecond: 100, turnsInFlight: 4, turns: 700, attempt: errors, effective: errors }],
  notCarried: { turnsPerSecond: 500, holdMs: 250 },
};
