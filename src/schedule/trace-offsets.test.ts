import { expect, test } from 'vitest';
import { memoryTrace } from '../../test/support/memory-trace.ts';
import { ownArrivals } from './own-arrivals.ts';
import { traceOffsets } from './trace-offsets.ts';

const instants = [0, 10, 10, 10.5, 400, 7000];
const trace = memoryTrace(instants.map((atMs) => ({ atMs, turns: [[0, null, null]] })));

test('sessions are due when the trace says', () => {
  expect([...traceOffsets(trace)]).toEqual(instants);
});

test.each([1, 2, 3, 4])('%d shards play together what one plays', (count) => {
  const arrivalsOf = (index: number, of: number) => [...ownArrivals(traceOffsets(trace), { index, count: of })];
  const dealt = Array.from({ length: count }, (_, index) => arrivalsOf(index, count)).flat();
  expect(dealt.toSorted((a, b) => a.number - b.number)).toEqual(arrivalsOf(0, 1));
});
