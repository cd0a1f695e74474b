import { expect, test } from 'vitest';
import { Pushes } from './otlp-exporter.ts';

const url = 'http://collector.example:4318';
const refused = new Error('connect ECONNREFUSED');

/** Consecutive pushes with these outcomes; `undefined`: it arrived, `pending`: it did not end. */
function pushesOf(...ends: (Error | 'pending' | undefined)[]): Pushes {
  const pushes = new Pushes();
  for (const end of ends) {
    const ended = pushes.begin();
    if (end !== 'pending') ended(end);
  }
  return pushes;
}

const codesOf = (pushes: Pushes): string[] => pushes.warnings(url, performance.now()).map(({ code }) => code);
const textOf = (pushes: Pushes): string => pushes.warnings(url, performance.now() + 2500)[0]?.message ?? '';

test('does not warn if all pushes arrived', () => {
  expect(codesOf(pushesOf(undefined, undefined))).toEqual([]);
});

test('if the last one arrived, sums are complete, and some arrived late', () => {
  const pushes = pushesOf(undefined, refused, refused, undefined);
  expect(codesOf(pushes)).toEqual(['metrics_with_gaps']);
  expect(textOf(pushes)).toContain('2 of 4 pushes');
});

test('if the last push failed, the data since the last one received are missing', () => {
  const pushes = pushesOf(undefined, refused);
  expect(codesOf(pushes)).toEqual(['metrics_not_exported']);
  expect(textOf(pushes)).toMatch(/ECONNREFUSED\. The last 2\.5 s of the run are missing/);
});

test.each([
  ['failed', pushesOf(refused, refused), 'ECONNREFUSED'],
  ['did not end', pushesOf('pending'), 'took too long'],
  ['was never made', pushesOf(), 'took too long'],
])('if every push %s, nothing has arrived', (_, pushes, why) => {
  expect(textOf(pushes)).toContain(`No metrics arrived at ${url}`);
  expect(textOf(pushes)).toContain(why);
});
