import { expect, test } from 'vitest';
import { createVitest } from 'vitest/node';
import { hangMs, patient } from '../support/deadline.ts';

test.each([
  ['test', 'part', hangMs],
  ['long', 'whole', 10 * hangMs],
])(
  'tests of every project in the mode %s make the %s of their trials, with generous limits',
  async (mode, ...limits) => {
    const vitest = await createVitest('test', { watch: false }, { mode });
    const ofProjects = vitest.projects.map(({ config: { env, testTimeout } }) => [env['MONTE_CARLO'], testTimeout]);
    const hooks = vitest.projects.map(
      ({
        config: {
          hookTimeout,
          expect: { poll },
        },
      }) => [hookTimeout, poll],
    );
    await vitest.close();
    expect(ofProjects).toEqual(vitest.projects.map(() => limits));
    expect(hooks).toEqual(vitest.projects.map(() => [hangMs, patient]));
    expect(ofProjects.length).toBeGreaterThan(0);
  },
);
