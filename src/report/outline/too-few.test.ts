import { describe, expect, test } from 'vitest';
import { shownTables } from '../../../test/support/page-parts.ts';
import { written } from '../../../test/support/render-outline.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { inconclusive } from '../../../test/support/synthetic-comparison.ts';
import type { Result } from '../../result/result.ts';
import { formatsOf, pageOf, renderDocument } from '../documents.ts';
import { isOn, type OutlineBlock, type Section, type Writer } from './outline.ts';
import { resultOutline, resultReport, viewResults } from '../run/result-outline.ts';
import { runLine } from '../run/verdict-line.ts';
import picocolors from 'picocolors';

const policies = { hasty: { base: '1ms' }, patient: { base: '1s' } } as const;
const runOf = (sessions: number, isStreamed = true): Result =>
  resultOf(finishedRun({ sessions, retry: policies }, { isStreamed }));

/** Runs with the first percentile that has too few turns. */
const runs = [5, 8, 20, 40, 150].map((sessions) => runOf(sessions)).filter(({ latency }) => latency.turn.count > 0);
const floors = { p50: '11', p75: '24', p90: '64', p95: '130', p99: '662' } as const;

const isPercentile = (head: string): boolean => /(?:^|\.)p\d/.test(head);

/** Returns the tables of sections with dashes of percentiles and without a reason in the next block. */
function unexplained(sections: readonly Section[], writer: Writer): string[] {
  return sections
    .filter((section) => isOn(section, writer))
    .map(({ blocks }) => blocks.filter((block) => isOn(block, writer)))
    .flatMap((blocks) => blocks.flatMap((block, at) => (hasDash(block) && !isReason(blocks[at + 1]) ? [block] : [])))
    .map((block) => JSON.stringify(block).slice(0, 200));
}

function hasDash(block: OutlineBlock): boolean {
  if (block.type !== 'table' || !('columns' in block)) return false;
  return block.rows.some((row) => {
    const cells = 'cells' in row ? row.cells : row;
    const isRow = typeof cells[0] === 'string' && / p\d/.test(cells[0]);
    return cells.some((cell, at) => cell === '-' && (isRow || isPercentile(block.columns[at]?.head ?? '')));
  });
}

const isReason = (block: OutlineBlock | undefined): boolean =>
  block?.type === 'text' && /p[\d.]+ needs [\d,]+/.test(block.text);

describe.each(runs.map((run) => [run.latency.turn.count, run] as const))('a run of %d turns', (count, run) => {
  test.each(['terminal', 'markdown', 'page'] as const)(
    'explains the dashes of each table of percentiles, in a %s',
    (writer) => {
      expect(unexplained(resultOutline(run, {}, writer), writer)).toEqual([]);
    },
  );

  test('names the values needed, the maximum and the highest known percentile in every format', () => {
    const [name = '', floor = ''] =
      Object.entries(floors).find(([wanted, each]) => wanted !== 'p75' && wanted !== 'p90' && count < Number(each)) ??
      [];
    const need = `${name} needs ${floor}, has ${String(count)}`;
    const highest = Object.entries(floors).findLast(([, each]) => count >= Number(each))?.[0];
    for (const format of ['terminal', 'markdown', 'junit'] as const) {
      const text = written(resultReport, run, { format, width: 120 }).replaceAll(/\s+/g, ' ');
      expect(text).toContain(format === 'markdown' ? `${name} needs ${floor}, has` : need);
      expect(text).toMatch(/\bmax\b/);
      if (highest !== undefined) expect(text).toContain(highest);
    }
    const figures = JSON.stringify(viewResults([run]));
    expect(figures).toContain(`${name} needs ${floor} turns, has ${String(count)}`);
    expect(runLine('a', { result: run, path: '' }, { colors: picocolors.createColors(false), width: 80 })).toMatch(
      /max [^;]* \(p(?:50|99) needs [\d,]+, has \d+\)/,
    );
  });

  test('explains the dashes of a page below its table', () => {
    const page = JSON.stringify(viewResults([run]));
    const dashed = shownTables(viewResults([run])).filter(({ rows: [head = [], ...rows] }) =>
      rows.some((cells) => cells.some((cell, at) => cell === '-' && isPercentile(head[at] ?? ''))),
    );
    if (dashed.length > 0) expect(page).toMatch(/-: too few values: p[\d.]+ needs/);
  });
});

test('a run with enough turns explains nothing', () => {
  const text = written(resultReport, runOf(4000, false), { width: 120 });
  expect(text).not.toContain('turn p99 needs');
  expect(text).not.toMatch(/^turn max/m);
});

test('a comparison states the values needed in every format', async () => {
  const { kind } = inconclusive;
  for (const format of formatsOf(kind)) {
    const style = { colors: picocolors.createColors(false), width: 100 };
    const text =
      format === 'html'
        ? JSON.stringify(await pageOf(kind, [inconclusive]))
        : await renderDocument<typeof kind>(inconclusive, { format, style });
    expect(text?.replaceAll(/\s+/g, ' '), format).toContain('10,000 values are needed');
  }
});
