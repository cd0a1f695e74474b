import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { jsonSchemaOf } from '../../docs/json-schema.ts';
import { finishedRun, resultOf } from '../../test/support/synthetic-result.ts';
import { undescribedIn, type Schema } from '../../test/support/undescribed-fields.ts';
import { mergeSnapshots } from '../record/snapshot.ts';
import { problemOfAbortGate } from './gates/gates.ts';
import { resultSchema } from './result.ts';

const run = finishedRun({
  warmUp: '1500ms',
  retry: { gentle: { base: '1s' }, harsh: { base: '1ms' } },
  objective: '300ms',
  gates: { 'turn.p95': '< 2s', 'turns.failedShare': '< 0%', 'turn.p99.99': '< 1h' },
});
const result = resultOf(run);

describe('the published result', () => {
  test('conforms to its schema, key by key', () => {
    expect(resultSchema.parse(JSON.parse(JSON.stringify(result)))).toEqual(result);
    expect(Object.keys(result)).toEqual(Object.keys(resultSchema.shape));
  });

  test('has consistent counts, on which every equation was checked', () => {
    expect(result.books.broken).toEqual([]);
    expect(result.books.balanced).toBe(true);
    expect(result.books.checked).toBeGreaterThan(100);
  });

  test('omits the warm-up from every published figure and shows its part in the counts', () => {
    const { books, outcomes, latency, intervals } = result;
    expect(books.warmUp.turns.ok).toBeGreaterThan(50);
    expect(outcomes.turns.ok).toBe(books.turns.ok - books.warmUp.turns.ok);
    expect(latency.turn.ok.count).toBe(outcomes.turns.ok);
    expect(latency.sessionCreate.count).toBe(books.sessions.created - books.warmUp.sessions.created);
    const inWarmUp = intervals.filter((interval) => interval.warmUp).reduce((sum, each) => sum + each.turns.ok, 0);
    expect(inWarmUp).toBe(books.warmUp.turns.ok);
  });

  test('has rates over the measured time', () => {
    const { rates, outcomes, run: facts, retries } = result;
    expect(rates.measuredMs).toBe(facts.durationMs - 1500);
    const done = result.latency.turn.count;
    expect(rates.turnsPerSecond).toBeCloseTo(done / (rates.measuredMs / 1000), 9);
    expect(retries.goodput.turns).toBeLessThan(outcomes.turns.ok);
    expect(retries.goodput.share).toBeCloseTo(retries.goodput.turns / done, 9);
  });

  test('reports every retry policy separately, and all together', () => {
    const { policies, attempts, byCause, recovered } = result.retries;
    expect(policies.map(({ name }) => name)).toEqual(['gentle', 'harsh']);
    expect(policies.reduce((sum, each) => sum + each.attempts, 0)).toBe(attempts);
    expect(policies.reduce((sum, each) => sum + each.byCause.rate_limited, 0)).toBe(byCause.rate_limited);
    expect(policies.reduce((sum, each) => sum + each.recovered, 0)).toBe(recovered);
    expect(recovered).toBeGreaterThan(50);
  });

  test('judges the gates of the plan', () => {
    expect(result.gates.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['turn.p95', 'pass'],
      ['turns.failedShare', 'fail'],
      ['turn.p99.99', 'no-data'],
      ['turns.ok', 'pass'],
    ]);
  });

  test('of several workers marks its maxima as upper bounds, and checks the sum', () => {
    const workers = ['a', 'b'].map((worker) => ({ ...finishedRun({ sessions: 50 }).snapshot, workers: [worker] }));
    const [a, b] = workers;
    if (a === undefined || b === undefined) throw new Error('two workers');
    const plan = { ...finishedRun({ sessions: 50 }).plan, sessions: 100 };
    const merged = resultOf({ plan, snapshot: mergeSnapshots(a, b) }, { workers });
    expect(merged.concurrency.maxIsUpperBound).toBe(true);
    expect(merged.books.balanced).toBe(true);
    const short = resultOf({ plan, snapshot: mergeSnapshots(a, b) }, { workers: [a] });
    expect(short.books.broken.map(({ name }) => name)).toContain('totals = sum over workers: turns');
  });

  test('of a run that died does not claim that its counts are consistent', () => {
    expect(resultOf(run, { isWhole: false }).books).toMatchObject({ balanced: null, broken: [] });
  });

  test('of a run that died omits the share of started sessions', () => {
    const died = finishedRun({ gates: { 'sessions.startedShare': '>= 95%', 'turns.ok': '>= 1' } });
    const [{ verdict, reason } = {}] = resultOf(died, { isWhole: false }).gates;
    expect([verdict, reason]).toEqual(['no-data', 'only known for a run that ended']);
    expect(problemOfAbortGate('sessions.startedShare')).toContain('only known at its end');
  });

  test('warns of durations that were longer than histograms reach', () => {
    const { plan, snapshot } = finishedRun({ sessions: 20 });
    const [lane] = snapshot.totals;
    const series = lane?.series['attempt.ok'];
    if (series !== undefined) series.clamped = 3;
    expect(resultOf({ plan, snapshot }).warnings).toMatchObject([{ code: 'durations_clamped' }]);
    expect(result.warnings).toEqual([]);
  });
});

describe('the JSON Schema of the result', () => {
  const schema = jsonSchemaOf('result');
  const validate = addFormats.default(new Ajv2020()).compile(schema);
  const copy = () => JSON.parse(JSON.stringify(result)) as Record<string, Record<string, unknown>>;

  test('accepts a result', () => {
    expect(validate(copy()), JSON.stringify(validate.errors)).toBe(true);
  });

  test.each([
    ['another kind', (broken: ReturnType<typeof copy>) => Object.assign(broken, { kind: 'chat-load/snapshot' })],
    ['another version', (broken: ReturnType<typeof copy>) => Object.assign(broken, { schemaVersion: 2 })],
    ['a missing section', (broken: ReturnType<typeof copy>) => Reflect.deleteProperty(broken, 'books')],
    [
      'a text for a number',
      (broken: ReturnType<typeof copy>) => Object.assign(broken['run'] ?? {}, { durationMs: '1' }),
    ],
    [
      'a missing class',
      (broken: ReturnType<typeof copy>) => Reflect.deleteProperty(broken['outcomes']?.['turns'] ?? {}, 'aborted'),
    ],
    [
      'an unknown class',
      (broken: ReturnType<typeof copy>) => Object.assign(broken['outcomes']?.['turns'] ?? {}, { lost: 1 }),
    ],
    [
      'a status that there is not',
      (broken: ReturnType<typeof copy>) => Object.assign(broken['run'] ?? {}, { status: 'done' }),
    ],
  ])('rejects %s', (_, breakIt) => {
    const broken = copy();
    breakIt(broken);
    expect(validate(broken)).toBe(false);
  });

  test('describes every field', () => {
    const { scenario, ...properties } = schema['properties'] as Record<string, Schema>;
    const undescribed = Object.entries(properties).flatMap(([name, each]) => undescribedIn(each, name));
    expect(undescribed).toEqual([]);
    expect(Object.values(scenario?.properties ?? {}).every((each) => each.description !== undefined)).toBe(true);
  });
});
