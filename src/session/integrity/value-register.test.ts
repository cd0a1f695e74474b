import { describe, expect, test } from 'vitest';
import { holdsValue, ValueRegister } from './value-register.ts';

const nothingExcused = (): boolean => false;

/** A register with these values of `customer` for sessions 1, 2, ... */
function registerOf(...values: string[]): ValueRegister {
  const register = new ValueRegister();
  values.forEach((value, index) => register.note(value, { session: index + 1, name: 'customer' }));
  return register;
}

const found = (register: ValueRegister, text: string, session = 99): number | undefined =>
  register.findForeign(text, session, nothingExcused)?.session;

describe('the register of values', () => {
  test.each<[string, string, number | undefined]>([
    ['finds a value', 'Dear Ada, hello.', 1],
    ['finds one of several words', 'Dear Grace Hopper, hello.', 2],
    ['finds one with signs in it', 'Order ORD-17 is here', 3],
    ['finds one at the very end, and in quotes', 'It is "ORD-17"', 3],
    ['does not take a part of a word for a value', 'Adamant, ORD-170', undefined],
    ['does not take a part of a value for it', 'Dear Grace, dear Hopper', undefined],
    ['distinguishes upper case from lower case', 'ada', undefined],
    ['finds nothing in nothing', '', undefined],
  ])('%s', (_, text, owner) => {
    expect(found(registerOf('Ada', 'Grace Hopper', 'ORD-17'), text)).toBe(owner);
  });

  test('leaves a session its own values', () => {
    const register = registerOf('Ada', 'Grace');
    expect([found(register, 'Ada', 1), found(register, 'Ada', 2), found(register, 'Ada and Grace', 1)]).toEqual([
      undefined,
      1,
      2,
    ]);
  });

  test('does not report a value that several sessions have, whichever registered it last', () => {
    const register = registerOf('pro', 'free', 'pro', 'pro');
    expect([found(register, 'pro'), found(register, 'free')]).toEqual([undefined, 2]);
  });

  test('keeps the owner of a value that is registered again in every turn', () => {
    const register = registerOf('Ada');
    register.note('Ada', { session: 1, name: 'customer' });
    expect(found(register, 'Ada')).toBe(1);
  });

  test('skips excused occurrences, and continues', () => {
    const register = registerOf('Ada', 'Grace');
    expect(register.findForeign('Ada, Grace', 9, (value) => value === 'Ada')?.session).toBe(2);
  });

  test.each(['', '  ', '7', '42', '...'])('does not keep %j, which could be anywhere', (value) => {
    expect(found(registerOf(value), `It is ${value} of 100`)).toBeUndefined();
  });

  test('identifies a long value by its first eight words', () => {
    expect(found(registerOf('a b c d e f g h i j'), 'so a b c d e f g h and on')).toBe(1);
  });

  test('keeps the latest 20,000, a reused value among them', () => {
    const register = registerOf('Ada', 'Grace');
    for (let session = 3; session <= 20_001; session++) register.note(`N-${String(session)}`, { session, name: 'n' });
    register.note('Ada', { session: 1, name: 'customer' });
    expect([found(register, 'Ada'), found(register, 'Grace'), found(register, 'N-20001')]).toEqual([
      1,
      undefined,
      20_001,
    ]);
  });
});

test.each<[string, boolean]>([
  ['Ada 1', true],
  ['Ada 12', false],
  ['Ada 12 and Ada 1.', true],
  ['xAda 1', false],
  ['(Ada 1)', true],
])('a value is found in %j: %s', (text, holds) => {
  expect(holdsValue(text, 'Ada 1')).toBe(holds);
});
