import { describe, expect, test } from 'vitest';
import { applyStep, joinRows } from './live.ts';
import type { Page, Section, Timeline } from './page.ts';

const timeline = (startMs: number[], columns: Timeline['columns'], heat: Timeline['heat'] = {}): Timeline => ({
  label: 'run',
  startMs,
  lengthMs: startMs.map(() => 1000),
  columns,
  heat,
  marks: [],
});

describe('rows that are joined', () => {
  test('replace the elements from their index on', () => {
    const there = timeline([0, 1000, 2000], { 'turn.p50': [1, 2, 3] });
    const joined = joinRows(there, { from: 2, rows: timeline([2000, 3000], { 'turn.p50': [4, 5] }) });
    expect([joined.startMs, joined.columns['turn.p50']]).toEqual([
      [0, 1000, 2000, 3000],
      [1, 2, 4, 5],
    ]);
  });

  test('have no rate if a column was omitted, and no value of anything else', () => {
    const there = timeline([0, 1000], { 'turn.p50': [1, 2], 'turnsPerSecond.timed_out': [1, 2] });
    const rows = timeline([2000], { retriesPerSecond: [3], 'turn.failed.p50': [7] });
    expect(joinRows(there, { from: 2, rows }).columns).toEqual({
      'turn.p50': [1, 2, null],
      'turnsPerSecond.timed_out': [1, 2, 0],
      retriesPerSecond: [0, 0, 3],
      'turn.failed.p50': [null, null, 7],
    });
  });

  test('keep the cells of a heat map that begins later in their rows', () => {
    const joined = joinRows(timeline([0], {}), { from: 1, rows: timeline([1000], {}, { turn: [[4, 1]] }) });
    expect(joined.heat).toEqual({ turn: [[], [4, 1]] });
  });
});

describe('a step', () => {
  const section = (id: string): Section => ({ id, title: id, lead: '', blocks: [] });
  const page: Page = {
    kind: 'result',
    title: 'peak',
    facts: [],
    verdict: { state: 'running', sentence: 'RUNNING', notes: [] },
    sections: [section('figures'), section('time')],
    timelines: [timeline([0], {})],
  };
  const state = { elapsedMs: 1000, done: '1 s', doneShare: null, phase: 'running' } as const;

  test('keeps unchanged parts as the same objects, so that they are not redrawn', () => {
    const view = {
      facts: [],
      verdict: page.verdict,
      order: ['figures', 'gates', 'time'],
      sections: [section('gates')],
    };
    const after = applyStep(page, { state, rows: null, view });
    expect(after.sections.map(({ id }) => id)).toEqual(['figures', 'gates', 'time']);
    expect(after.sections[2]).toBe(page.sections[1]);
    expect(after.timelines).toBe(page.timelines);
  });

  test('drops a removed section', () => {
    const view = { facts: [], verdict: page.verdict, order: ['time'], sections: [] };
    expect(applyStep(page, { state, rows: null, view }).sections).toEqual([page.sections[1]]);
  });
});
