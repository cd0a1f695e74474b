import { expect, test } from 'vitest';
import { optionSets } from './options.ts';
import { readRows } from './rows.ts';

const read = (args: Readonly<Record<string, unknown>>): unknown => readRows(args, optionSets.comparison);

test.each([
  ['8%', 0.08],
  ['2.5 %', 0.025],
  [undefined, undefined],
])('an assumed noise of %s is %d', (noise, share) => {
  expect(read({ 'assume-noise': noise })).toEqual({ 'assume-noise': share });
});

test.each(['5', '0%', 'x', '120%', '-5%'])('an assumed noise of %s is rejected, with an example', (noise) => {
  expect(() => read({ 'assume-noise': noise })).toThrow(`such as 5%, not '${noise}'`);
});
