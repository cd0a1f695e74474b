import { describe, expect, test } from 'vitest';
import picocolors from 'picocolors';
import { slowTurns, withModel } from '../../../test/support/model-run.ts';
import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { SpansBlock } from '../page/page.ts';
import { stackedBar } from '../words/bars.ts';
import { viewResults } from './result-outline.ts';

const run = finishedRun();
const result = resultOf(withModel(run));
const shown = (width: number, of = result): string[] =>
  renderResult(of, { width, colors: picocolors.createColors(false) }).split('\n');
const lineOf = (lines: readonly string[], start: string): string => lines.find((line) => line.startsWith(start)) ?? '';

const spansOf = (of: readonly (typeof result)[], id: string): SpansBlock | undefined =>
  viewResults(of)
    .sections.flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.type === 'spans' ? [block] : []))
    .find((block) => block.id === id);

describe('the traces of the slowest turns', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const { model, scenario } = result;
  if (model === null) throw new Error('no model calls');
  const traced = model.slowTurns?.map((turn) => ({
    ...turn,
    attempts: turn.attempts.map((attempt) => ({ ...attempt, traceId })),
  }));
  const target = { ...scenario.plan.target, traceUrl: 'https://jaeger.example/trace/{traceId}' };
  const linked = {
    ...result,
    model: { ...model, slowTurns: traced },
    scenario: { ...scenario, plan: { ...scenario.plan, target } },
  };

  test('are addresses in a terminal and links on a page', () => {
    expect(shown(120, linked).join('\n')).toContain(`(trace https://jaeger.example/trace/${traceId}`);
    const tables = viewResults([linked]).sections.flatMap(({ blocks }) =>
      blocks.filter(({ type }) => type === 'table'),
    );
    expect(JSON.stringify(tables)).toContain('Traces of the slowest turns');
    expect(JSON.stringify(tables)).toContain(`"link":"${target.traceUrl}"`);
  });

  test('are not shown for turns without a trace', () => {
    expect(shown(120).join('\n')).not.toContain('(trace ');
  });
});

describe('the section inside a turn', () => {
  test('is absent without a model service', () => {
    const plain = resultOf(run);
    expect(shown(80, plain).join('\n')).not.toContain('INSIDE A TURN');
    expect(renderResultMarkdown(plain)).not.toContain('Inside a turn');
    expect(viewResults([plain]).sections.map(({ id }) => id)).not.toContain('inside');
  });

  test.each([8, 150])(
    'shows no figure by turn and by attempt if %i of 150 calls belong to no known turn',
    (unattributed) => {
      const { model } = result;
      if (model === null) throw new Error('no model calls');
      const calls = { ...model.calls, traced: model.calls.traced + 5 - unattributed, unattributed };
      const lost = { ...result, model: { ...model, calls, attributedShare: 1 - unattributed / 150 } };
      const text = shown(120, lost).join('\n');
      expect(text).toMatch(/^model +150 model calls, [\d.]+ % attributed$/m);
      expect(text).toMatch(/^ +no figures by turn and by attempt: \d+ of 150 model calls belong to no known turn/m);
      expect(text).toContain('8,000 input tokens');
      expect(text).not.toMatch(/^(model time|retry wait|agent time|before first call) /m);
      expect(text).toMatch(/^model call /m);
      const markdown = renderResultMarkdown(lost);
      for (const shownText of [text, markdown])
        for (const figure of [
          'per ok turn',
          'mean attempt',
          'after the user had left',
          'http_500',
          'final replies',
          'same turn',
        ])
          expect(shownText).not.toContain(figure);
      const page = JSON.stringify(viewResults([lost]));
      for (const figure of ['inside-parts', 'slow-turns', 'model calls per turn']) expect(page).not.toContain(figure);
    },
  );

  test('explains a missing added time', () => {
    expect(shown(80).join(' ').replace(/\s+/g, ' ')).toContain('- with fewer than 10 of such turns on either side');
  });

  test.each([80, 120])(
    'fits %i columns, with a bar of three parts for the mean and for the slowest attempts',
    (width) => {
      const lines = shown(width);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(lineOf(lines, 'mean attempt')).toMatch(/96\.9 ms +12\.5 ms +46\.9 ms +156 ms +█+▒+░+$/);
      expect(lineOf(lines, 'slowest 5 %')).toMatch(/500 ms +200 ms +300 ms +1\.00 s +█+▒+░+$/);
      expect(lineOf(lines, 'turn 2 ')).toMatch(/20 +2\.40 +160 +50 +50\.0 %/);
      expect(lineOf(lines, 'orphaned')).toMatch(/4 +2\.67 % +3\.00 s +120/);
      expect(lineOf(lines, 'http_500')).toMatch(/9 +13 +10 +1 +1 +1 +897 ms/);
    },
  );

  test('has the same tables in Markdown, with the shares of the parts', () => {
    const markdown = renderResultMarkdown(result);
    expect(markdown).toContain('### Inside a turn');
    expect(markdown).toContain('| mean attempt | 96.9 ms (62.0 %) | 12.5 ms (8.00 %) | 46.9 ms (30.0 %) | 156 ms |');
    expect(markdown).toContain('| repeats of failed calls | 8 | 5.33 % |');
  });

  test('has a bar on the page whose parts follow one another', () => {
    const [mean] = spansOf([result], 'inside-parts')?.rows ?? [];
    expect(mean?.spans.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [0, 96.875],
      [96.875, 109.375],
      [109.375, 156.25],
    ]);
  });

  test('has a chart for each of several runs', () => {
    expect(spansOf([result, result], 'inside-parts-2')?.rows).toHaveLength(2);
  });
});

describe('the waterfall of the slowest turns', () => {
  const rows = spansOf([result], 'slow-turns')?.rows ?? [];

  test('has a row for the turn, each attempt and each call, with calls that outlast their attempt', () => {
    expect(rows.map(({ level, label, note }) => `${'.'.repeat(level)}${label}: ${note}`)).toEqual([
      'session 12, turn 2: ok, 2.40 s',
      '.attempt 1: timed_out, 1.00 s',
      '..chat model-a: ok, after the attempt, 1.40 s',
      '.attempt 2: ok, 1.00 s',
      '..chat model-a: injected, 90.0 ms',
      '..chat model-a: repeat, ok, 400 ms',
      '..embeddings model-a: ok, 300 ms',
    ]);
  });

  test('shows an open call until the end of its attempt, and limits the calls of an attempt', () => {
    const [turn] = slowTurns;
    const [attempt] = turn?.attempts ?? [];
    const [call] = attempt?.calls ?? [];
    if (turn === undefined || attempt === undefined || call === undefined) throw new Error('no slow turn');
    const open = { ...call, durationMs: null, outcome: null };
    const calls = Array.from({ length: 25 }, () => open);
    const many = withModel(run, { slowTurns: [{ ...turn, attempts: [{ ...attempt, calls }] }] });
    const drawn = spansOf([resultOf(many)], 'slow-turns')?.rows ?? [];
    expect(drawn[2]?.spans[0]).toMatchObject({ fromMs: 20, toMs: 1000 });
    expect(drawn[2]?.note).toBe('open');
    expect(drawn).toHaveLength(2 + 20 + 1);
    expect(drawn.at(-1)?.label).toBe('5 further calls');
  });
});

test('a stacked bar shows every part above zero, in the given width', () => {
  expect(stackedBar([0.5, 0.25, 0.25], 8)).toBe('████▒▒░░');
  expect(stackedBar([0.9, 0.001, 0.099], 10)).toBe('█████████▒░'.slice(0, 10));
  expect(stackedBar([0.2, 0, 0.2], 10)).toBe('██░░      ');
});
