import { expect, test } from 'vitest';
import { traceParents } from './trace-parents.ts';

test('every trace is different, however many are drawn', () => {
  const [next, other] = [traceParents(() => true), traceParents(() => true)];
  const traces = Array.from({ length: 3000 }, (_, index) =>
    index % 2 === 0 ? next({ session: 1 }) : other({ session: 2 }),
  );
  expect(traces.filter(({ id, parent }) => !parent.startsWith(`00-${id}-`))).toEqual([]);
  expect(traces.filter(({ parent }) => !/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(parent))).toEqual([]);
  expect(new Set(traces.map(({ id }) => id))).toHaveLength(traces.length);
  expect(new Set(traces.map(({ parent }) => parent.slice(36, 52)))).toHaveLength(traces.length);
});

test('the flag tells whether the session is sampled', () => {
  const next = traceParents((session) => session === 2);
  expect([1, 2, 3].map((session) => next({ session }).parent.slice(-3))).toEqual(['-00', '-01', '-00']);
});
