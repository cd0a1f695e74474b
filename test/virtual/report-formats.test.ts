import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import hdr from 'hdr-histogram-js';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { renderFile } from '../../src/app/report.ts';
import { readResult } from '../../src/edge/disk/read-result.ts';

const style = { width: 80, colors: picocolors.createColors(false) };
const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/results/${name}`, import.meta.url));
const resultFile = fixture('result-version-1.json');
const comparisonFile = fixture('comparison-version-1.json');

describe('a result is printed again', () => {
  test('as Markdown, the verdict first', async () => {
    const [first = ''] = (await renderFile(resultFile, 'markdown', style)).split('\n');
    expect(first).toMatch(/^### (PASSED|FAILED|INVALID)/);
  });

  test('for a terminal, the verdict last', async () => {
    const lines = (await renderFile(resultFile, 'terminal', style)).split('\n');
    expect(lines.at(-1)).toMatch(/^(PASSED|FAILED|INVALID)/);
  });

  test('as JUnit: a case a gate, one for integrity, for validity and for the run', async () => {
    const xml = await renderFile(resultFile, 'junit', style);
    const names = [...xml.matchAll(/<testcase [^>]*? name="([^"]*)"/g)].map(([, name]) => name);
    const { gates } = await readResult(resultFile);
    expect(names).toEqual(['run', 'validity', 'integrity', ...gates.map(({ metric }) => `${metric} &gt;= 1`)]);
  });

  test('as CSV: a row an interval, as many cells as columns, and no turn lost', async () => {
    const [head = [], ...rows] = (await renderFile(resultFile, 'csv', style))
      .split('\n')
      .map((line) => line.split(','));
    const { intervals, books } = await readResult(resultFile);
    expect(rows.map((row) => row.length)).toEqual(intervals.map(() => head.length));
    const at = head.indexOf('turnsOk');
    expect(rows.reduce((sum, row) => sum + Number(row[at]), 0)).toBe(books.turns.ok);
  });

  test('as a log that HdrHistogram reads: every series with the count and the greatest value of the result', async () => {
    const reader = new hdr.HistogramLogReader(await renderFile(resultFile, 'hlog', style));
    const read = new Map<string, { count: number; max: number }>();
    for (let next = reader.nextIntervalHistogram(); next; next = reader.nextIntervalHistogram()) {
      const { count, max } = read.get(next.tag) ?? { count: 0, max: 0 };
      read.set(next.tag, { count: count + next.totalCount, max: Math.max(max, next.maxValue) });
    }
    const { latency } = await readResult(resultFile);
    expect(read.get('turn.ok')?.count).toBe(latency.turn.ok.count);
    expect(read.get('effective.ok')?.count).toBe(latency.effective.ok.count);
    expect((read.get('turn.ok')?.max ?? 0) / 1000 / (latency.turn.ok.maxMs ?? 0)).toBeCloseTo(1, 2);
  });

  test('as JSON, brought to the newest version', async () => {
    expect(JSON.parse(await renderFile(resultFile, 'json', style))).toEqual(await readResult(resultFile));
  });
});

describe('a comparison of version 1 is printed again', () => {
  test.each(['terminal', 'markdown', 'junit'] as const)('as %s', async (format) => {
    expect((await renderFile(comparisonFile, format, style)).length).toBeGreaterThan(200);
  });

  test('with its old names migrated, and nothing lost', async () => {
    const old = JSON.parse(readFileSync(comparisonFile, 'utf8')) as { inWords: string; where: { overTime: unknown[] } };
    expect(JSON.parse(await renderFile(comparisonFile, 'json', style))).toMatchObject({
      schemaVersion: 2,
      summary: old.inWords,
      localization: { deciles: old.where.overTime },
    });
  });
});

describe('what cannot be printed is said', () => {
  test('a format that a document does not have, with those that it has', async () => {
    const problem: unknown = await renderFile(comparisonFile, 'hlog', style).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      code: 'usage',
      message: `${comparisonFile} is a comparison, which has no format hlog.`,
      hint: 'Formats of a comparison: terminal, html, markdown, junit, json.',
    });
  });

  test('a file that holds none of our documents', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'report-')), 'foreign.json');
    writeFileSync(file, '{"hello": 1}');
    await expect(renderFile(file, 'terminal', style)).rejects.toThrow('is not a result of chat-load');
  });
});
