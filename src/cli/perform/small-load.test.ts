import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { smallLoad } from './small-load.ts';

const loadOf = (turns: number, gates: Record<string, string>, thinkMs = 0) =>
  smallLoad({ gates, turns: { kind: 'constant', turns }, thinkTime: { kind: 'constant', ms: ms(thinkMs) } });

test.each([
  ['of sessions with one turn', 1, {}, 163],
  ['of sessions with three turns', 3, { 'turn.p90': '< 1s' }, 55],
  ['of long sessions', 40, {}, 5],
  ['with a gate that needs more', 4, { 'turn.p99': '< 1s' }, 207],
  ['with a gate that needs too much for a small load', 3, { 'turn.p99.9': '< 1s' }, 55],
])('a small load %s suffices for a p95', (_, turns, gates, sessions) => {
  expect(loadOf(turns, gates)).toEqual({ concurrency: 5, sessions });
});

test('a small load has a duration if the users think long', () => {
  expect(loadOf(3, {}, 5000)).toEqual({ concurrency: 5, sessions: 55 });
  expect(loadOf(3, {}, 3_600_000)).toEqual({ concurrency: 2, duration: '30s' });
});
