import type { CalibrationDocument } from '../../src/calibrate/calibration-document.ts';
import type { Calibration } from '../../src/result/sections/calibration.ts';

const errors = { p50Ms: 0.1, p90Ms: 0.2, p95Ms: 0.3, p99Ms: 0.4 };
/** A stored calibration with one load, and one that was too much. */
export const calibration: Calibration = {
  kind: 'chat-load/calibration',
  schemaVersion: 1,
  toolVersion: '0.1.0',
  host: 'lab',
  machine: 'a processor',
  calibratedAt: '2026-01-31T14:00:00.000Z',
  sends: { turnsPerSecond: 50_000, cpuUsPerTurn: 20 },
  loads: [{ attemptsPerSecond: 100, turnsInFlight: 4, turns: 700, attempt: errors, effective: errors }],
  notCarried: { turnsPerSecond: 500, holdMs: 250 },
};

/** The document of a target whose ceiling is not known, for a scenario near it. */
export const calibrationDocument: CalibrationDocument = {
  ...calibration,
  startedAt: '2026-01-31T13:59:00.000Z',
  target: {
    baseUrl: 'http://x/',
    embedded: false,
    agentId: 'a',
    scenario: 'peak',
    steps: [
      {
        connections: 1,
        turnsPerSecond: 9.5,
        sent: 9,
        ok: 8,
        classes: { ok: 8, timed_out: 1 },
        cpuShare: 0.1,
        elapsedMs: 1000,
        example: 'timed_out: no reply',
      },
    ],
    end: 'most_connections',
    turnsSent: 9,
    ceiling: { turnsPerSecond: 9.5, connections: 1, reached: false, reason: 'most_connections' },
    plannedPerSecond: 9,
    warnings: [{ code: 'turns_failed', message: 'Turns failed from 1 connection on.', remedy: 'Look.' }],
  },
  limit: 'unknown',
};
