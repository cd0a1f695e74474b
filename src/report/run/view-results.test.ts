import { renderResult } from '../../../test/support/render-outline.ts';
import fc from 'fast-check';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { UnreadableHistogram } from '../../record/sparse-histogram.ts';
import type { Result } from '../../result/result.ts';
import { driftOf, seriesOf } from '../../../test/support/drifting-run.ts';
import {
  blocksOf,
  columnOf,
  figureOf,
  misfits,
  rowsOf,
  sectionOf,
  unsayable,
} from '../../../test/support/page-parts.ts';
import { nightResult } from '../../../test/support/night-result.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { witness, type ServiceModel } from '../../../test/support/virtual-run.ts';
import { formatMs, formatPerSecond } from '../../base/format.ts';
import { verdictLine } from './verdict-line.ts';
import { viewResults } from './result-outline.ts';

const plainStyle = { colors: picocolors.createColors(false), width: 200 };

/** Replies of 40 to 60 ms, every fifth message of an instant refused. */
const model: ServiceModel = (operation, at) =>
  operation === 'message' && Math.round(at * 7) % 5 === 0
    ? { afterMs: 20, status: 503 }
    : { afterMs: 40 + (Math.round(at * 13) % 20) };

const scenario = {
  name: 'peak',
  duration: '30s',
  turns: 4,
  thinkTime: '100ms',
  load: { concurrency: 20 },
  objective: '3s',
  gates: { 'turn.p95': '< 2s', 'turns.failedShare': '< 0.001%' },
  retry: { maxAttempts: 3, base: '50ms' },
} as const;

const { result } = await witness(scenario, model);
const page = viewResults([result]);
describe('the page of a run', () => {
  test('is doubtful if the run is degraded, and explains the reason once', () => {
    const reason = {
      code: 'too_short',
      severity: 'degraded',
      blame: 'generator',
      message: 'Too little was measured for any p99',
      remedy: 'Let it run for a minute.',
    } as const;
    const doubtful = { verdict: 'degraded' as const, reasons: [reason] };
    const shown = viewResults([{ ...result, gates: [], validity: doubtful }]).verdict;
    expect(shown.state).toBe('doubtful');
    expect(shown.sentence).toContain(reason.message);
    expect(shown.notes).toEqual([reason.remedy]);
  });

  test('repeats no sentence of the remedies', () => {
    const reasonOf = (code: string, remedy: string) =>
      ({ code, severity: 'invalid', blame: 'generator', message: `Reason ${code}`, remedy }) as const;
    const reasons = [
      reasonOf('a', 'Close other programs. Use 0.5 of a core, or lower the rate.'),
      reasonOf('b', 'Use 0.5 of a core, or lower the rate. The gaps include the delay.'),
      reasonOf('c', 'Use 0.5 of a core, or lower the rate.'),
    ];
    const invalid = { verdict: 'invalid' as const, reasons };
    expect(viewResults([{ ...result, gates: [], validity: invalid }]).verdict.notes).toEqual([
      'Close other programs. Use 0.5 of a core, or lower the rate.',
      'invalid: Reason b. The gaps include the delay.',
      'invalid: Reason c',
    ]);
  });

  test('lists no generator figure without a value', () => {
    const [table] = blocksOf(page, 'table').filter(({ title }) => title === 'Generator');
    expect(table?.rows.filter(({ cells }) => cells.includes(''))).toEqual([]);
  });

  test('has the key figures of the document, as the terminal writes them', () => {
    const { turn } = result.latency;
    const terminal = renderResult(result, plainStyle);
    for (const [name, key] of [
      ['turn p50', 'p50Ms'],
      ['turn p95', 'p95Ms'],
      ['turn p99', 'p99Ms'],
    ] as const) {
      expect(turn[key]).not.toBeNull();
      expect(figureOf(page, name).text).toBe(formatMs(turn[key]));
      expect(terminal).toContain(`${name}  ${figureOf(page, name).text}`);
    }
    const { lowMs = NaN, highMs } = turn.intervals?.p50Ms ?? {};
    expect(figureOf(page, 'turn p50').detail).toBe(`95 % interval ${formatMs(lowMs)} to ${formatMs(highMs)}`);
    expect(figureOf(page, 'turns per second').text).toBe(formatPerSecond(result.rates.turnsPerSecond ?? NaN));
    expect(terminal).toContain(`${figureOf(page, 'failed turns').text} turns`);
    expect(figureOf(page, 'retry amplification').text).toBe(result.retries.amplification?.toFixed(3));
  });

  test('has consistent series and columns, and only values that JSON can represent', () => {
    expect(misfits(page)).toEqual([]);
    expect(unsayable(page)).toEqual([]);
    expect(JSON.parse(JSON.stringify(page))).toEqual(page);
  });

  test('omits sections without content', () => {
    const ids = page.sections.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(['figures', 'gates', 'time']);
    expect(ids).not.toContain('policies');
    expect(ids).not.toContain('warnings');
    expect(page.sections.filter(({ blocks }) => blocks.length === 0)).toEqual([]);
  });

  test('has an objective only if the scenario does', () => {
    expect(figureOf(page, 'objective').detail).toContain('ok within 3.00 s');
    const without = { ...result, retries: { ...result.retries, objectiveMs: null } };
    expect(() => figureOf(viewResults([without]), 'objective')).toThrow();
  });
});

describe('percentile curves', () => {
  const curves = blocksOf(page, 'curve').flatMap(({ series }) => series);

  test('rise, and pass through the published percentiles', () => {
    const turn = curves.find(({ label }) => label === 'turn');
    expect(turn?.points[0]).toEqual([0, Number(result.latency.turn.minMs?.toPrecision(4))]);
    expect(turn?.points.find(([percentile]) => percentile === 50)?.[1]).toBe(
      Number(result.latency.turn.p50Ms?.toPrecision(4)),
    );
    for (const { points } of curves) {
      const sorted = points.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
      expect(points).toEqual(sorted);
      expect(points.every(([percentile], at) => percentile < 100 && percentile !== points[at + 1]?.[0])).toBe(true);
    }
  });

  test('end if fewer values are beyond than a percentile needs', () => {
    const turn = curves.find(({ label }) => label === 'turn');
    const beyond = (1 - (turn?.points.at(-1)?.[0] ?? NaN) / 100) * result.latency.turn.count;
    expect(beyond).toBeGreaterThan(6.6);
    expect(beyond).toBeLessThan(14);
  });

  test('are split if something failed', () => {
    expect(curves.map(({ label }) => label)).toContain('attempt, failed');
  });
});

describe('several runs', () => {
  const other = { ...result, run: { ...result.run, label: 'head' } };
  const both = viewResults([other, result]);

  test('have a series each in every chart, distinguished by name and colour', () => {
    const rates = blocksOf(both, 'time').find(({ id }) => id === 'rates')?.series ?? [];
    expect(rates.map(({ label, run, tone }) => [label, run, tone])).toContainEqual(['head: ok', 0, 'first']);
    expect(rates.map(({ label, run, tone }) => [label, run, tone])).toContainEqual(['peak: ok', 1, 'second']);
    expect(both.timelines.map(({ label }) => label)).toEqual(['head', 'peak']);
    expect(blocksOf(both, 'curve')[0]?.series.map(({ label }) => label)).toContain('peak: attempt');
    expect(misfits(both)).toEqual([]);
    expect(unsayable(both)).toEqual([]);
  });

  test('have their key figures side by side', () => {
    const [table] = blocksOf(both, 'table');
    expect(table?.columns.map(({ head }) => head)).toEqual(['figure', 'head', 'peak']);
    const p50 = table?.rows.find(({ cells }) => cells[0] === 'turn p50');
    expect(p50?.cells[1]).toContain(formatMs(result.latency.turn.p50Ms));
    expect(p50?.cells[2]).toBe(p50?.cells[1]);
  });

  test('state how many passed, and how each ended in the notes', () => {
    const good = { ...other, gates: [] };
    const { verdict } = viewResults([good, result]);
    expect(verdict.state).toBe('failed');
    expect(verdict.sentence).toBe('1 of 2 runs passed.');
    expect(verdict.notes[1]).toContain(verdictLine(result));
    expect(verdict.notes.map((note) => note.split(':')[0])).toEqual(['head', 'peak']);
  });

  test('are distinguished though they have the same name, and the same start', () => {
    const names = viewResults([result, result, other]).timelines.map(({ label }) => label);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe('head');
  });

  test('stack their outcomes in separate charts', () => {
    const stacks = blocksOf(both, 'time').filter(({ form }) => form === 'stacked');
    expect(stacks.map(({ id }) => id)).toEqual([
      'turn-outcomes-1',
      'turn-outcomes-2',
      'attempt-outcomes-1',
      'attempt-outcomes-2',
    ]);
    expect(stacks[1]?.series.map(({ label, run }) => [label, run])).toEqual([['provider_error', 1]]);
  });
});

describe('the page of', () => {
  test('a run without a turn states so, and has no empty chart', async () => {
    const { result: none } = await witness({ sessions: 3, load: { concurrency: 1 } }, () => ({
      afterMs: 5,
      status: 404,
    }));
    const shown = viewResults([none]);
    expect(figureOf(shown, 'turn p50')).toMatchObject({ text: '-', detail: 'p50 needs 11 turns, has 0' });
    expect(figureOf(shown, 'sessions not created').state).toBe('doubtful');
    expect(shown.verdict.state).not.toBe('passed');
    expect([...blocksOf(shown, 'percentiles'), ...blocksOf(shown, 'heat'), ...blocksOf(shown, 'curve')]).toEqual([]);
    expect([...misfits(shown), ...unsayable(shown)]).toEqual([]);
  });

  test('a run of several policies has them side by side with their intervals', () => {
    const two = resultOf(finishedRun({ sessions: 150, retry: { gentle: { base: '1s' }, harsh: { base: '1ms' } } }));
    const shown = viewResults([two]);
    const served = blocksOf(shown, 'ranges').find(({ id }) => id === 'policies-served');
    expect(served?.rows.map(({ label, value, low, high }) => ({ label, value, low, high }))).toEqual(
      two.retries.policies.map(({ name, intervals }) => ({ label: name, ...intervals.servedShare })),
    );
    expect([...misfits(shown), ...unsayable(shown)]).toEqual([]);
  });

  test('a hostile result shows its texts completely, and only as texts', () => {
    const hostile = '</script><img src=x onerror=alert(1)>\u202e\u0000"\n`${1}`';
    const [example] = result.examples;
    if (example === undefined) throw new Error('there is no example');
    const poisoned: Result = {
      ...result,
      run: { ...result.run, label: hostile },
      scenario: { ...result.scenario, name: hostile },
      examples: [{ ...example, detail: hostile, texts: { message: hostile, reply: hostile } }],
      warnings: [{ code: hostile, message: hostile, remedy: hostile }],
    };
    const shown = viewResults([poisoned]);
    expect(shown.title).toBe(`${hostile} (${hostile})`);
    const cells = blocksOf(shown, 'table').flatMap(({ rows }) => rows.flatMap((row) => row.cells));
    expect(cells.filter((cell) => cell === hostile)).toHaveLength(5);
    expect([...misfits(shown), ...unsayable(shown)]).toEqual([]);
  });

  test('a result with a histogram of another kind is rejected', () => {
    const [interval] = result.intervals;
    const broken = { count: 1, sumMs: 1, minMs: 1, maxMs: 1, hdr: 'AAAA' };
    if (interval === undefined) throw new Error('there is no interval');
    const intervals = [{ ...interval, latency: { lateness: broken } }];
    expect(() => viewResults([{ ...result, intervals }])).toThrow(UnreadableHistogram);
  });

  test('a run that drifted names the series, with its slope and interval', () => {
    const hours = driftOf({ seed: 3, memory: 0.3, slowness: (at) => 1.05 ** at });
    const shown = viewResults([{ ...result, drift: hours }]);
    const [slopes] = blocksOf(shown, 'ranges').filter(({ id }) => id === 'drift-per-hour');
    const p50 = seriesOf(hours, 'turn.p50');
    expect(p50.verdict).toBe('drift');
    expect(slopes?.rows[0]).toMatchObject({
      label: 'turn.p50',
      ...p50.perHour,
      tone: 'failed',
      note: 'drift, worse, trend',
    });
    expect(renderResult({ ...result, drift: hours }, { ...plainStyle, width: 500 })).toContain(
      blocksOf(shown, 'prose')
        .flatMap(({ lines }) => lines)
        .find((line) => line.startsWith('turn.p50')),
    );
    expect(viewResults([result]).sections.map(({ id }) => id)).not.toContain('drift');
  });

  test('a result with any number of examples has as many as can be read, and their number', () => {
    const [first] = result.examples;
    if (first === undefined) throw new Error('there is no example');
    const examples = Array.from({ length: 100_000 }, (_, at) => ({ ...first, detail: `failure ${String(at)}` }));
    const table = blocksOf(viewResults([{ ...result, examples }]), 'table').find(({ title }) =>
      title.includes('example'),
    );
    expect(table?.title).toBe('500 of 100,000 distinct examples');
    expect(table?.rows).toHaveLength(500);
  });

  test('a run that failed because of failures has them and an example at the top', () => {
    const { verdict } = viewResults([result]);
    const [example] = result.examples;
    expect(verdict.state).toBe('failed');
    expect(verdict.notes).toContainEqual(expect.stringMatching(/^Failures: [\d,]+ of [\d,]+ turns, /));
    expect(verdict.notes).toContainEqual(expect.stringMatching(`^Example: ${example?.outcome ?? ''}, session `));
    const passing = result.gates.map((gate) => ({ ...gate, verdict: 'pass' as const }));
    const slow = passing.map((gate) => (gate.metric === 'turn.p95' ? { ...gate, verdict: 'fail' as const } : gate));
    expect(viewResults([{ ...result, gates: slow }]).verdict.notes.join()).not.toContain('Example');
  });

  test('a result shows the options that were set, and the others in a fold', () => {
    const tables = blocksOf(sectionOf(page, 'plan'), 'table');
    const [set, defaults] = tables.filter(({ title }) => title.startsWith('Options'));
    expect(set?.isFolded).toBeUndefined();
    expect(set?.rows.map(({ cells }) => cells[2])).not.toContain('default');
    expect(defaults?.isFolded).toBe(true);
    expect(new Set(defaults?.rows.map(({ cells }) => cells[2]))).toEqual(new Set(['default']));
  });

  test('a result with equal examples has them in one row, with their number, sessions and times', () => {
    const [first] = result.examples;
    if (first === undefined) throw new Error('there is no example');
    const examples = [4, 7, 4].map((session) => ({ ...first, session, turn: 2, atMs: 1000 * session }));
    const shown = { ...result, examples: [...examples, { ...first, detail: 'another' }] };
    const [row, other, ...rest] = blocksOf(sectionOf(viewResults([shown]), 'examples'), 'table').flatMap(rowsOf);
    expect([other?.['error'], rest]).toEqual(['another', []]);
    expect(row).toMatchObject({
      count: '3',
      'session/turn': '4/2, 7/2, 4/2',
      at: '4.00 s, 7.00 s, 4.00 s',
      error: first.detail,
    });
    const others = { ...shown, examples: [...examples, { ...first, outcome: 'timed_out' as const }] };
    expect(renderResult(others, plainStyle)).toMatch(/ 3 +sessions 4, 7 /);
  });

  test('a night in which every series has values throughout takes at most 2.5 MB', () => {
    const night = viewResults([nightResult()]);
    expect(night.timelines[0]?.startMs).toHaveLength(600);
    expect(columnOf(night, 'turn.failed.p50')).toHaveLength(600);
    expect(JSON.stringify(night).length).toBeLessThan(2_500_000);
    expect(blocksOf(night, 'time').map(({ id }) => id)).toEqual(
      expect.arrayContaining(['lateness', 'generator-processor', 'generator-memory', 'backoff-over-time']),
    );
    expect(misfits(night)).toEqual([]);
  });

  test('any run can be expressed in JSON', () => {
    fc.assert(
      fc.property(
        fc.record({
          sessions: fc.integer({ min: 1, max: 40 }),
          warmUp: fc.constantFrom('0s', '700ms', '2s'),
          turns: fc.integer({ min: 1, max: 4 }),
          objective: fc.constantFrom(undefined, '100ms'),
        }),
        ({ objective, ...drawn }) => {
          const run = finishedRun({ ...drawn, ...(objective === undefined ? {} : { objective }) });
          const shown = viewResults([resultOf(run)]);
          expect([...misfits(shown), ...unsayable(shown)]).toEqual([]);
        },
      ),
      { numRuns: 12 },
    );
  });
});
