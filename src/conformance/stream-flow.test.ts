import { describe, expect, test } from 'vitest';
import { streamFlow } from './stream-flow.ts';

const apart = (count: number, gapMs: number, from = 100): number[] =>
  Array.from({ length: count }, (_, index) => from + index * gapMs);

describe('the flow of a stream', () => {
  test.each([
    ['events with gaps', { times: apart(10, 20), totalMs: 280 }, 'one_by_one', 0],
    ['events of one read', { times: apart(10, 0), totalMs: 100 }, 'at_once', 9],
    [
      'events of two reads in quick succession',
      { times: [...apart(5, 0), ...apart(5, 0, 101)], totalMs: 101 },
      'at_once',
      8,
    ],
    ['a fast stream after a long wait', { times: apart(10, 1.5, 2000), totalMs: 2014 }, 'one_by_one', 0],
    [
      'events of some large pieces',
      { times: [...apart(5, 0), ...apart(5, 0, 200)], totalMs: 200 },
      'mostly_together',
      8,
    ],
    ['few events in two pieces', { times: [100, 100, 100, 200], totalMs: 200 }, 'one_by_one', 2],
    [
      'content at once, after an event without content',
      { times: [5, 90, 90, 90, 90], totalMs: 90, contentSpanMs: 0 },
      'at_once',
      3,
    ],
  ] as const)('%s', (_, arrivals, flow, together) => {
    expect(streamFlow(arrivals)).toEqual({ flow, together });
  });
});
