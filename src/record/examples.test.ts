import { expect, test } from 'vitest';
import { Secrets } from '../base/secrets.ts';
import { Examples, keepText, mergeExamples, type Example } from './examples.ts';

const example = (atMs: number, changed: Partial<Example> = {}): Example => ({
  outcome: 'timed_out',
  operation: 'message',
  session: 1,
  turn: 1,
  status: 0,
  detail: 'slow',
  traceId: null,
  protocol: 'HTTP/1.1',
  texts: null,
  atMs,
  ...changed,
});
const offer = (examples: Examples, ...offered: Example[]): void => {
  for (const each of offered) if (examples.wants(each.outcome, each.atMs)) examples.keep(each, String);
};

test('the earliest ten of a class are kept, in any order', () => {
  const examples = new Examples();
  offer(examples, ...[50, 10, 90, 30, 70, 20, 80, 40, 60, 100, 110, 5].map((atMs) => example(atMs)));
  expect(examples.all().map(({ atMs }) => atMs)).toEqual([5, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(examples.wants('timed_out', 91)).toBe(false);
  expect(examples.wants('server_error', 91)).toBe(true);
});

test('fresh examples are the ones kept since the last call', () => {
  const examples = new Examples();
  offer(examples, example(1), example(2));
  expect(examples.takeFresh().map(({ atMs }) => atMs)).toEqual([1, 2]);
  offer(examples, example(3));
  expect(examples.takeFresh().map(({ atMs }) => atMs)).toEqual([3]);
  expect(examples.all()).toHaveLength(3);
});

test('a long detail is cut', () => {
  const examples = new Examples();
  offer(examples, example(1, { detail: 'x'.repeat(5000) }));
  expect(examples.all()[0]?.detail).toHaveLength(301);
});

test('a text is searched for secrets before it is cut, so that no part of one is left', () => {
  const redact = (text: string): string => text.replaceAll('secret', '[key]');
  const kept = keepText(`${'x'.repeat(1997)}secret and more`, redact);
  expect(kept).toBe(`${'x'.repeat(1997)}[ke…`);
  expect(keepText('y'.repeat(2_000_000), redact)).toBe('(2000000 characters)');
});

test('merging keeps the earliest of every class, the same in any order', () => {
  const early = Array.from({ length: 10 }, (_, i) => example(i));
  const late = Array.from({ length: 10 }, (_, i) => example(5 + i, { session: 2 }));
  const other = [example(99, { outcome: 'server_error' })];
  const merged = mergeExamples([...late, ...early, ...other]);
  expect(merged).toEqual(mergeExamples([...other, ...early, ...late]));
  expect(merged.map(({ outcome, atMs, session }) => [outcome, atMs, session])).toEqual([
    ['server_error', 99, 1],
    ...[0, 1, 2, 3, 4, 5].map((atMs) => ['timed_out', atMs, 1]),
    ['timed_out', 5, 2],
    ['timed_out', 6, 1],
    ['timed_out', 6, 2],
    ['timed_out', 7, 1],
  ]);
});

test('parts of a secret at the edges of the strings of a JSON reply are redacted', () => {
  const secrets = new Secrets('k7Q"vZ2/xP9sT4wB6nM1cR8yL3dF5hJ0gK2aE');
  const known = (text: string): string => keepText(text, (each) => secrets.redact(each));
  const [beginning, ending] = ['k7Q\\"vZ2/xP9s', 'F5hJ0gK2aE'];
  expect(known(`{"error":{"message":"rejected token ${beginning}","code":"${ending} is bad"},"n":1}`)).toBe(
    '{"error":{"message":"rejected token [API key]","code":"[API key] is bad"},"n":1}',
  );
  expect(known('{"a":"plain words","b":[]}')).toBe('{"a":"plain words","b":[]}');
  expect(known('"'.repeat(100_000)).length).toBeLessThan(2100);
});
