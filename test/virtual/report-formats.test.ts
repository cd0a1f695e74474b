import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import hdr from 'hdr-histogram-js';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { renderFile } from '../../src/app/report.ts';
import { regressed } from '../support/synthetic-comparison.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';

const style = { width: 80, colors: picocolors.createColors(false) };
const folder = mkdtempSync(join(tmpdir(), 'report-'));
const keep = (name: string, document: object): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(document));
  return file;
};
const result = resultOf(finishedRun({ sessions: 40 }));
const resultFile = keep('result.json', result);
const comparisonFile = keep('comparison.json', regressed);

describe('a result is printed again', () => {
  test('as Markdown, with the verdict first', async () => {
    const [first = ''] = (await renderFile(resultFile, 'markdown', style)).split('\n');
    expect(first).toMatch(/^### (PASSED|FAILED|INVALID)/);
  });

  test('for a terminal, the verdict last', async () => {
    const lines = (await renderFile(resultFile, 'terminal', style)).split('\n');
    expect(lines.at(-1)).toMatch(/^(PASSED|FAILED|INVALID)/);
  });

  test('as JUnit: one case per gate, and one each for integrity, validity and the run', async () => {
    const xml = await renderFile(resultFile, 'junit', style);
    const names = [...xml.matchAll(/<testcase [^>]*? name="([^"]*)"/g)].map(([, name]) => name);
    const { gates } = result;
    expect(names).toEqual(['run', 'validity', 'integrity', ...gates.map(({ metric }) => `${metric} &gt;= 1`)]);
  });

  test('as CSV: one row per interval, one cell per column, and no turn lost', async () => {
    const [head = [], ...rows] = (await renderFile(resultFile, 'csv', style))
      .split('\n')
      .map((line) => line.split(','));
    const { intervals, books } = result;
    expect(rows.map((row) => row.length)).toEqual(intervals.map(() => head.length));
    const at = head.indexOf('turnsOk');
    expect(rows.reduce((sum, row) => sum + Number(row[at]), 0)).toBe(books.turns.ok);
  });

  test('as a log that HdrHistogram can read: every series with the count and the maximum of the result', async () => {
    const reader = new hdr.HistogramLogReader(await renderFile(resultFile, 'hlog', style));
    const read = new Map<string, { count: number; max: number }>();
    for (let next = reader.nextIntervalHistogram(); next; next = reader.nextIntervalHistogram()) {
      const { count, max } = read.get(next.tag) ?? { count: 0, max: 0 };
      read.set(next.tag, { count: count + next.totalCount, max: Math.max(max, next.maxValue) });
    }
    const { latency } = result;
    expect(read.get('turn.ok')?.count).toBe(latency.turn.ok.count);
    expect(read.get('effective.ok')?.count).toBe(latency.effective.ok.count);
    expect((read.get('turn.ok')?.max ?? 0) / 1000 / (latency.turn.ok.maxMs ?? 0)).toBeCloseTo(1, 2);
  });

  test('as JSON', async () => {
    expect(JSON.parse(await renderFile(resultFile, 'json', style))).toEqual(result);
  });
});

describe('a comparison is printed again', () => {
  test.each(['terminal', 'markdown', 'junit'] as const)('as %s', async (format) => {
    expect((await renderFile(comparisonFile, format, style)).length).toBeGreaterThan(200);
  });

  test('as JSON', async () => {
    expect(JSON.parse(await renderFile(comparisonFile, 'json', style))).toEqual(regressed);
  });
});

describe('a message names what cannot be printed', () => {
  test('a format that a document does not have, along with the available ones', async () => {
    const problem: unknown = await renderFile(comparisonFile, 'hlog', style).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      code: 'usage',
      message: `${comparisonFile} is a comparison, which has no format hlog.`,
      hint: 'Formats of a comparison: terminal, html, markdown, junit, json.',
    });
  });

  test('a file that contains none of our documents', async () => {
    const file = keep('foreign.json', { hello: 1 });
    await expect(renderFile(file, 'terminal', style)).rejects.toThrow('is not a result of chat-load');
  });
});
