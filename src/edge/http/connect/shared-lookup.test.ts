import type { LookupAddress, LookupOptions } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { shareLookup } from './shared-lookup.ts';

type Answer = (error: Error | null, addresses: LookupAddress[]) => void;

const four = (address: string): LookupAddress => ({ address, family: 4 });
const six = (address: string): LookupAddress => ({ address, family: 6 });

/** A name service that answers on demand, and the answers to each caller of the shared lookup. */
const setUp = () => {
  const asked: Answer[] = [];
  const told: unknown[] = [];
  const lookup = shareLookup((_host, _options, answer) => void asked.push(answer));
  const ask = (options: LookupOptions = { all: true }): void =>
    lookup('host', options, (error, address, family) =>
      told.push(error ?? (family === undefined ? address : [address, family])),
    );
  return { asked, told, ask };
};

describe('a shared lookup', () => {
  test('looks up once for all callers meanwhile, and again for later ones', () => {
    const { asked, told, ask } = setUp();
    ask();
    ask();
    expect(asked).toHaveLength(1);
    asked[0]?.(null, [four('a')]);
    expect(told).toEqual([[four('a')], [four('a')]]);
    ask();
    expect(asked).toHaveLength(2);
    asked[1]?.(null, [four('b')]);
    expect(told[2]).toEqual([four('b')]);
  });

  test('begins with each address of the preferred family in turn, so that none takes all connections', () => {
    const { asked, told, ask } = setUp();
    for (let count = 0; count < 3; count++) ask();
    asked[0]?.(null, [six('x'), four('a'), six('y'), four('b')]);
    expect(told).toEqual([
      [six('x'), six('y'), four('a'), four('b')],
      [six('y'), six('x'), four('a'), four('b')],
      [six('x'), six('y'), four('a'), four('b')],
    ]);
  });

  test('returns one address to a caller that requests one', () => {
    const { asked, told, ask } = setUp();
    ask({});
    asked[0]?.(null, [four('a'), four('b')]);
    expect(told).toEqual([['a', 4]]);
  });

  test('reports a failure to all, and asks again after it', () => {
    const { asked, told, ask } = setUp();
    const failure = new Error('no such name');
    ask();
    ask({});
    asked[0]?.(failure, []);
    expect(told).toEqual([failure, failure]);
    ask();
    asked[1]?.(null, []);
    expect(told[2]).toMatchObject({ code: 'ENOTFOUND' });
  });
});
