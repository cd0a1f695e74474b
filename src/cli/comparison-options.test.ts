import { expect, test } from 'vitest';
import { readComparison } from './comparison-options.ts';

const read = (noise?: string) =>
  readComparison({
    fdr: 0.05,
    force: false,
    'no-history': false,
    format: 'terminal',
    json: false,
    'assume-noise': noise,
  });

test.each([
  ['8%', 0.08],
  ['2.5 %', 0.025],
  [undefined, 0.05],
])('an assumed noise of %s is %d', async (noise, share) => {
  expect((await read(noise)).assumedNoise).toBe(share);
});

test.each(['5', '0%', 'x', '120%', '-5%'])('an assumed noise of %s is refused, with an example', async (noise) => {
  await expect(read(noise)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`such as 5%, not '${noise}'`) as string,
  });
});
