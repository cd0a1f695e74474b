import { expect, test } from 'vitest';
import { LastTwo } from './sabotage.ts';

test('the last two values suffice to find the latest value of another owner', () => {
  const values = new LastTwo<string, number>();
  expect(values.notOf('a')).toBeUndefined();
  values.note('a', 1);
  expect([values.notOf('a'), values.notOf('b')]).toEqual([undefined, 1]);
  values.note('b', 2);
  values.note('b', 3);
  expect([values.notOf('a'), values.notOf('b'), values.notOf('c')]).toEqual([3, 1, 3]);
  values.note('a', 4);
  expect([values.notOf('a'), values.notOf('b'), values.notOf('c')]).toEqual([3, 4, 4]);
});
