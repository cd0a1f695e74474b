import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf, runFacts } from '../../test/synthetic-result.ts';
import { witness } from '../../test/virtual-run.ts';
import { exitCodeOf, type Judged } from '../result/exit-code.ts';
import type { Result } from '../result/result.ts';
import { stopSchema } from '../result/stop.ts';
import { verdictLine } from './verdict-line.ts';

const result = resultOf(finishedRun({ gates: { 'turn.p50': '< 1h' } }));
const fine: Result = {
  ...result,
  validity: { verdict: 'valid', reasons: [] },
  integrity: { ...result.integrity, verdict: 'pass' },
};
const gateOf = (result: Result, metric: string) => result.gates.filter((gate) => gate.metric === metric);

const statuses = fc.constantFrom('completed', 'stopped', 'interrupted', 'recovered');
const kinds = fc.constantFrom(...stopSchema.shape.kind.options);
const judged: fc.Arbitrary<Result> = fc
  .record({
    status: statuses,
    stop: fc.option(fc.record({ kind: kinds, why: fc.string({ unit: 'binary' }), atMs: fc.constant(null) })),
    balanced: fc.constantFrom(true, false, null),
    validity: fc.constantFrom('valid', 'degraded', 'invalid'),
    reasons: fc.array(fc.constantFrom('degraded', 'invalid'), { maxLength: 2 }),
    integrity: fc.constantFrom('off', 'no-data', 'pass', 'fail', 'unsupported'),
    gates: fc.array(fc.constantFrom('pass', 'fail', 'no-data'), { maxLength: 5 }),
  })
  .map(({ status, stop, balanced, validity, reasons, integrity, gates }) => ({
    ...fine,
    run: { ...fine.run, status, stop },
    books: { ...fine.books, balanced },
    validity: {
      verdict: validity,
      reasons: reasons.map((severity) => ({
        ...{ code: 'late', severity, message: 'turns were\nlate', remedy: 'none', blame: 'generator' as const },
      })),
    },
    integrity: { ...fine.integrity, verdict: integrity },
    gates: gates.flatMap((verdict) => fine.gates.slice(0, 1).map((gate) => ({ ...gate, verdict }))),
  }));

describe('the last line', () => {
  test('agrees with the exit code, whatever the run came to, and is one line', () => {
    fc.assert(
      fc.property(judged, fc.constantFrom(undefined, 'SIGINT', 'SIGTERM'), (run, signal) => {
        const line = verdictLine(run, signal);
        const code = exitCodeOf(run, signal);
        expect(line).toMatch(code === 0 ? /^PASSED(, |$)/ : code === 4 ? /^INVALID: \S/ : /^FAILED: \S/);
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 500 },
    );
  });

  test('names the gates that failed, with what they were', () => {
    const failing = finishedRun({ gates: { 'turn.p50': '< 1ms', 'turn.p99.99': '< 1h', 'turns.ok': '>= 1' } });
    const run = { ...resultOf(failing), validity: fine.validity, integrity: fine.integrity };
    expect(verdictLine(run)).toMatch(
      /^FAILED: turn\.p50 < 1ms was \S+ ms; turn\.p99\.99 < 1h: p99\.99 needs 66381 samples, has \d+$/,
    );
  });

  test('says of a run that was stopped why, and of an invalid one the first reason', () => {
    const stop = { kind: 'circuit', why: 'POST /messages said 401', atMs: null } as const;
    expect(verdictLine({ ...fine, run: { ...fine.run, status: 'stopped', stop } })).toBe(
      'FAILED: stopped: POST /messages said 401',
    );
    expect(verdictLine({ ...fine, run: { ...fine.run, status: 'interrupted' } }, 'SIGTERM')).toBe(
      'FAILED: stopped by SIGTERM',
    );
    const reasons = [
      { code: 'a', severity: 'degraded', message: 'a little late', remedy: '', blame: 'generator' },
      { code: 'b', severity: 'invalid', message: 'far too late', remedy: '', blame: 'generator' },
    ] as const;
    expect(verdictLine({ ...fine, validity: { verdict: 'invalid', reasons: [...reasons] } })).toBe(
      'INVALID: far too late',
    );
    expect(verdictLine({ ...fine, validity: { verdict: 'degraded', reasons: [reasons[0]] } })).toBe(
      'PASSED, but degraded: a little late',
    );
    expect(verdictLine(fine)).toBe('PASSED');
  });
});

describe('a run in which no turn ended ok', () => {
  const scenario = { sessions: 20, turns: 1, retry: 'none', stopWhen: { noSuccess: false } } as const;
  const run = (more: object = {}) =>
    witness({ ...scenario, ...more }, (operation) => ({ afterMs: 5, status: operation === 'create' ? 201 : 503 }));

  test('fails a gate that nobody wrote', async () => {
    const { result } = await run();
    expect(gateOf(result, 'turns.ok')).toMatchObject([{ condition: '>= 1', actual: 0, verdict: 'fail' }]);
    expect([exitCodeOf(result), verdictLine(result)]).toEqual([1, 'FAILED: turns.ok >= 1 was 0']);
  });

  test('passes where the scenario means it to fail, and says so with a gate of its own', async () => {
    const { result } = await run({ gates: { 'turns.ok': '< 1' } });
    expect(result.gates).toHaveLength(1);
    expect([exitCodeOf(result), verdictLine(result)]).toEqual([0, 'PASSED']);
  });

  test('keeps the hash of the scenario, so that results of before can be compared', async () => {
    const hashes = await Promise.all([run(), run({ gates: { 'turns.ok': '< 1' } })]);
    expect(new Set(hashes.map(({ result }) => result.scenario.hash)).size).toBe(1);
    expect(hashes[0].result.scenario.plan.gates).toEqual({ 'turns.ok': '>= 1' });
  });
});

test('a judged run needs no more than what the exit code needs', () => {
  const { run, books, validity, integrity, gates }: Judged = { ...fine, run: { ...fine.run, ...runFacts } };
  expect(verdictLine({ run, books, validity, integrity, gates })).toBe('PASSED');
});
