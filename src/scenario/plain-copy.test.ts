import { describe, expect, test } from 'vitest';
import { plainCopy } from './plain-copy.ts';

const problemsOf = (value: unknown): string[] =>
  plainCopy(value).problems.map(({ path, message }) => `${path}: ${message}`);

const nest = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), 'deep');

describe('a plain copy', () => {
  test('is the same data, with unchanged functions', () => {
    const say = (): string => 'hi';
    const author = { a: [1, { b: 'c' }, null, undefined], say, [Symbol('s')]: 1 };
    expect(plainCopy(author)).toEqual({ copy: { a: [1, { b: 'c' }, null, undefined], say }, problems: [] });
  });

  test('copies values with a JSON form in that form', () => {
    expect(plainCopy({ at: new Date(0) }).copy).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  test('does not change when the original does, and reads a getter once', () => {
    let reads = 0;
    const author = {
      get count() {
        return ++reads;
      },
    };
    const { copy } = plainCopy(author);
    expect([copy, copy]).toEqual([{ count: 1 }, { count: 1 }]);
  });

  test('has a name with a special meaning in JavaScript', () => {
    const { copy } = plainCopy(JSON.parse('{"__proto__":{"polluted":1}}'));
    expect(Object.keys(copy as object)).toEqual(['__proto__']);
    expect('polluted' in (copy as object)).toBe(false);
  });

  test('allows one value in two places', () => {
    const shared = { x: 1 };
    expect(plainCopy({ a: shared, b: [shared] })).toEqual({ copy: { a: { x: 1 }, b: [{ x: 1 }] }, problems: [] });
  });
});

describe('a value that cannot be copied is reported with its path', () => {
  const around: Record<string, unknown> = { list: [] };
  (around['list'] as unknown[]).push(around);
  const throwing = {
    get field(): never {
      throw new Error('no');
    },
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();

  test.each<[string, unknown, string]>([
    ['what refers to itself', { a: around }, 'a.list[0]: refers to itself'],
    ['a getter that throws', { a: throwing }, 'a.field: cannot be read: no'],
    ['an object that nothing can be asked of', { a: proxy }, 'a: cannot be read: '],
    ['a bigint', { a: [1n] }, 'a[0]: a bigint cannot be sent as JSON'],
    ['endless nesting', nest(200), 'is nested more than 100 levels deep'],
    ['a list without end', { a: new Array<unknown>(4e9) }, 'a: has more than 10000000 items'],
  ])('%s', (_, value, problem) => {
    expect(problemsOf(value)).toEqual([expect.stringContaining(problem)]);
  });

  test('but not without end', () => {
    expect(problemsOf(new Array<unknown>(1000).fill(1n))).toHaveLength(20);
  });
});
