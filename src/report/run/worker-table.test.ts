import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { finishedRun, healthy, resultOf } from '../../../test/support/synthetic-result.ts';
import { playedBy, workersOf } from '../../../test/support/synthetic-workers.ts';
import { sectionOf } from '../../../test/support/page-parts.ts';
import { viewResults } from './result-outline.ts';

const alone = resultOf(finishedRun());
const lost = { atMs: 54_000, reason: 'nothing heard for 5 s' };
const busy = { ...healthy, cpuShare: 0.81, cpuShareMax: 0.97 };
const changes = [{}, { generator: busy }, {}, { lost, host: 'ip-10-0-12-34.eu-west-1.compute.internal' }];
const fleetOf = (count: number) => playedBy(alone, workersOf(count, changes), 1.2);
const textAt = (width: number, count: number): string =>
  renderResult(fleetOf(count), { colors: picocolors.createColors(false), width });
const rowsOf = (text: string): string[] => text.match(/^shard \d+ .*$/gm) ?? [];

describe.each([80, 120])('a run over several shards, at %d columns', (width) => {
  const text = textAt(width, 200);
  const flat = text.replaceAll(/\s+/g, ' ');

  test('states below its generator the number of shards, their hosts, the spread of their starts and their losses', () => {
    expect(flat).toMatch(
      / generator .* in the busiest shard.* shards 200 on 2 machines, started within 1\.20 ms of each other, 1 lost /,
    );
  });

  test('lists the lost and the worst first, and sums up the remaining ones', () => {
    const rows = rowsOf(text);
    expect(rows).toHaveLength(12);
    expect(rows.slice(0, 3).map((row) => row.split(/ {2,}/)[0])).toEqual(['shard 3', 'shard 1', 'shard 0']);
    expect(rows[0]).toContain('after 54.0 s:');
    expect(rows[1]).toContain('81.0 %');
    expect(flat).toContain(
      ' and 188 more shards, none of them lost: CPU up to 20.0 %, event loop delay p99 up to 3.00 ms ',
    );
  });

  test('is not wider than that', () => {
    expect(text.split('\n').filter((line) => line.length > width)).toEqual([]);
  });
});

test('a table of few shards has all of them, and without a loss no column for it', () => {
  const text = renderResult(playedBy(alone, workersOf(3)), { colors: picocolors.createColors(false), width: 120 });
  expect(rowsOf(text)).toHaveLength(3);
  expect(text).toMatch(/^WORKERS +host +process +late +sessions +turns +CPU +busiest +loop p99 +memory$/m);
  expect(text).not.toContain('more shard');
});

test('a run of one process has neither the line nor the table', () => {
  const text = renderResult(alone, { colors: picocolors.createColors(false), width: 80 });
  expect(text).not.toMatch(/shard|WORKERS/);
  expect(viewResults([alone]).sections.map(({ id }) => id)).not.toContain('workers');
  expect(renderResultMarkdown(alone)).not.toContain('shard');
});

test('sessions and turns of a lost shard are in the account of all', () => {
  const { books } = alone;
  const sessions = { ...books.sessions, lost: 7 };
  const result = { ...alone, books: { ...books, sessions, turns: { ...books.turns, lost: 4 } } };
  const text = renderResult(result, { colors: picocolors.createColors(false), width: 200 });
  expect(text).toMatch(/^sessions .* 7 lost of /m);
  expect(text).toMatch(/^ {10}.*4 lost with their shard/m);
});

test('Markdown has the same rows, and states the rest', () => {
  const text = renderResultMarkdown(fleetOf(14));
  expect(text).toContain('shards: 14 on 2 machines');
  expect(text.match(/^\| shard \d+ \|/gm)).toHaveLength(12);
  expect(text).toMatch(
    /^\| shard 3 \| ip-10-0-12-34\.eu-west-1\.compute\.internal \| 4003 \|.*after 54\.0 s: nothing heard for 5 s \|$/m,
  );
  expect(text).toContain('and 2 more shards, none of them lost');
});

test('the page has a section with every shard, and marks the lost', () => {
  const { blocks } = sectionOf(viewResults([fleetOf(14)]), 'workers');
  const [said, table] = blocks;
  expect(said).toMatchObject({
    type: 'prose',
    lines: ['Shards: 14 on 2 machines, started within 1.20 ms of each other, 1 lost'],
  });
  if (table?.type !== 'table') throw new Error('the section has no table');
  expect(table.rows).toHaveLength(14);
  expect(table.rows.filter(({ state }) => state === 'bad').map(({ cells }) => cells[0])).toEqual(['shard\u00a03']);
});
