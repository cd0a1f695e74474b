import { expect, test } from 'vitest';
import { traceIdIn } from './call-headers.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const other = '0af7651916cd43dd8448eb211c80319c';

test.each([
  ['traceparent', `00-${id}-00f067aa0ba902b7-01`],
  ['the header of a later version of the standard', `01-${id}-00f067aa0ba902b7-01-what-it-adds`],
  ['an id alone', id],
  ['capital letters', id.toUpperCase()],
  ['a header that was forwarded twice', `00-${id}-00f067aa0ba902b7-01, 00-${id}-b7ad6b7169203331-01`],
  ['a list of different traces: the first counts', `00-${id}-00f067aa0ba902b7-01, 00-${other}-b7ad6b7169203331-01`],
  ['a list that begins with something else', `none, 00-${id}-00f067aa0ba902b7-01`],
])('the trace id is found in %s', (_, value) => {
  expect(traceIdIn(value)).toBe(id);
});

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['too short', `00-${id.slice(1)}-00f067aa0ba902b7-01`],
])('a header that is %s has no trace id', (_, value) => {
  expect(traceIdIn(value)).toBeUndefined();
});
