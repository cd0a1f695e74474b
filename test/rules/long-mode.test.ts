import { expect, test } from 'vitest';
import { createVitest } from 'vitest/node';

test.each([
  ['test', 'part', 60_000],
  ['long', 'whole', 600_000],
])('tests of every project in the mode %s make the %s of their trials', async (mode, trials, timeout) => {
  const vitest = await createVitest('test', { watch: false }, { mode });
  const ofProjects = vitest.projects.map(({ config: { env, testTimeout } }) => [env['MONTE_CARLO'], testTimeout]);
  await vitest.close();
  expect(ofProjects).toEqual(vitest.projects.map(() => [trials, timeout]));
  expect(ofProjects.length).toBeGreaterThan(0);
});
