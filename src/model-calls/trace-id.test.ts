import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeTraceId, readTraceId } from './trace-id.ts';

const runs = fc.integer({ min: 0, max: 0xffffffff }).map((run) => run.toString(16).padStart(8, '0'));
const places = fc.record({
  session: fc.integer({ min: 1, max: 0xffffffff }),
  turn: fc.integer({ min: 0, max: 0xffffff }),
  attempt: fc.integer({ min: 1, max: 0xffff }),
});

test('a trace id contains its attempt, for its own run only', () => {
  fc.assert(
    fc.property(runs, runs, places, (run, other, place) => {
      const id = makeTraceId(run, place);
      expect(id).toMatch(/^[0-9a-f]{32}$/);
      expect(id).not.toMatch(/^0+$/);
      expect(id.slice(16)).not.toMatch(/^0+$/);
      expect(readTraceId(id, run)).toEqual(place);
      if (other !== run) expect(readTraceId(id, other)).toBeUndefined();
    }),
  );
});

test('an id that differs from it in any digit is foreign', () => {
  const id = makeTraceId('0badcafe', { session: 77, turn: 3, attempt: 2 });
  for (let at = 0; at < id.length; at++) {
    const changed = `${id.slice(0, at)}${id[at] === '7' ? '8' : '7'}${id.slice(at + 1)}`;
    expect(readTraceId(changed, '0badcafe')).toBeUndefined();
  }
  for (const other of ['', id.slice(1), `${id}0`, id.toUpperCase()])
    expect(readTraceId(other, '0badcafe')).toBeUndefined();
});
