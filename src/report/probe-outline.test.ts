import { describe, expect, test } from 'vitest';
import { resolveScenario } from '../plan/resolve-scenario.ts';
import { buildProbe } from '../probe/build-probe.ts';
import type { ProbeFacts, LoadFigures, ProbeEnd } from '../probe/probe.ts';
import { written } from '../../test/support/render-outline.ts';
import { probeReport } from './probe-outline.ts';

const load = (turnsPerSecond: number, over: Partial<LoadFigures> = {}): LoadFigures => ({
  turnsPerSecond,
  sent: 100,
  ok: 100,
  classes: { ok: 100 },
  cpuShare: 0.2,
  elapsedMs: 1000,
  example: null,
  ...over,
});

interface ProbeParts {
  end?: ProbeEnd;
  cpuShare?: number;
  over?: Partial<ProbeFacts>;
  isOwn?: boolean;
  width?: number;
}

function rendered(
  rates: readonly number[],
  { end, cpuShare = 0.2, over, isOwn = true, width = 80 }: ProbeParts = {},
): string {
  const facts: ProbeFacts = {
    startedAt: '2026-01-01T00:00:00.000Z',
    elapsedMs: 20_000,
    toolVersion: '0.0.0',
    baseUrl: 'http://127.0.0.1:4010/',
    embedded: false,
    steps: rates.map((rate, index) => ({
      connections: 2 ** index,
      autocannon: load(rate / 2),
      chatLoad: load(rate, { cpuShare }),
    })),
    end: end ?? 'no_growth',
    generator: { turnsPerSecond: 60_000, cpuUsPerTurn: 1e6 / 60_000, askedPerSecond: 58_000, connections: 32 },
    unsteady: false,
    refused: undefined,
    turnsSent: 1234,
    warnings: [],
    ...over,
  };
  const scenario = { name: 'peak', messages: ['a'], turns: 5, sessions: 400, load: { concurrency: 50 } };
  const { plan, script } = resolveScenario(scenario, { flags: {}, environment: {} });
  const text = written(probeReport, buildProbe(facts, { plan, script, isOwn }), { width });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
  return text.replace(/\s+/g, ' ');
}

describe('a rendered probe', () => {
  test('names the limiting side, and the load to run with', () => {
    const text = rendered([100, 200, 400, 400, 400]);
    expect(text).toContain('can answer 400 turns/s: the rate hardly grows above 4 connections');
    expect(text).toContain('The target is the limit, at 400 turns/s; this generator can send 150 times as much.');
    expect(text).toContain('concurrency: 5, without think times: 4 turns in flight');
    expect(text).toContain('sessionsPerSecond: 60, with 5 turns per session on average, that is 300 turns/s');
    expect(rendered([70_000, 70_000, 70_000])).toContain('This generator is the limit, at about 60,000 turns/s');
  });

  test('states of a scenario how much of both it asks for', () => {
    const text = rendered([100, 200, 400, 400, 400], { isOwn: false });
    expect(text).toContain('peak needs up to 4,167 turns/s if replies take as long as with one connection (10.0 ms).');
    expect(text).toContain('The target is the limit');
    expect(rendered([99_000, 99_000, 99_000], { isOwn: false })).toContain('This generator is the limit');
  });

  test('reports the cores that a scenario needs, and not for its own sessions', () => {
    const over = { generator: { turnsPerSecond: 2000, cpuUsPerTurn: 500, askedPerSecond: 2000, connections: 32 } };
    const text = rendered([100, 200, 400, 400, 400], { isOwn: false, over });
    expect(text).toContain('CORES 3 (one process sends about 2,000 turns/s here, 25 % headroom)');
    expect(text).toContain('run with --cores 3');
    expect(rendered([100, 200, 400, 400, 400], { over })).not.toContain('CORES');
  });

  test.each<[ProbeEnd, string]>([
    ['most_connections', 'still growing at 4 connections, the maximum tested (--max-connections)'],
    ['turns_spent', '(--max-turns)'],
    ['sessions_refused', 'no more sessions could be created'],
    ['signal', 'when the probe was stopped'],
  ])('states "at least" if the end was not reached: %s', (end, words) => {
    const text = rendered([100, 200, 400], { end });
    expect(text).toContain('can answer at least 400 turns/s');
    expect(text).toContain(words);
    expect(text).not.toContain('ceiling or more');
  });

  test('states "at least" if this process had no CPU time left', () => {
    const text = rendered([40_000, 40_000, 40_000], { cpuShare: 0.98 });
    expect(text).toContain('at least 40,000 turns/s: this process had no CPU time left');
    expect(text).toContain('This generator is the limit');
  });

  test('warns of the causes of doubtful figures', () => {
    const lost = load(9, {
      ok: 90,
      classes: { ok: 90, server_error: 10 },
      example: 'server_error: status 502\u001b[2J',
    });
    const text = rendered([], {
      over: {
        steps: [{ connections: 1, autocannon: null, chatLoad: lost }],
        baseUrl: 'https://agent.example/',
        unsteady: true,
        refused: { outcome: 'rate_limited', detail: 'status 429' },
        generator: { turnsPerSecond: 60_000, cpuUsPerTurn: 16, askedPerSecond: 20_000, connections: 32 },
      },
    });
    for (const words of ['autocannon was not used', 'status 429', 'status 502', '33 % of a core', 'without TLS'])
      expect(text).toContain(words);
    expect(text).toContain('10.0 % server_error');
    expect(text).not.toContain('\u001b');
  });

  test.each(['create', 'message'] as const)('names the agent if the service does not know it (%s)', (operation) => {
    const chatLoad = load(0, { ok: 0, classes: { agent_not_found: 90 }, example: 'agent_not_found: status 404' });
    const over =
      operation === 'create'
        ? { steps: [], refused: { outcome: 'agent_not_found', detail: 'status 404' } as const }
        : { steps: [{ connections: 1, autocannon: null, chatLoad }] };
    const text = rendered([], { end: 'sessions_refused', over });
    expect(text).toContain('--agent-id');
    expect(text).not.toMatch(/at once\.|in no rate/);
  });

  test('states that nothing was measured', () => {
    const text = rendered([], { end: 'signal', over: { generator: undefined } });
    expect(text).toContain('unknown: no turn was ok');
    expect(text).toContain('unknown: the probe was stopped before measuring it');
    expect(text).toContain('too little data');
  });
});
