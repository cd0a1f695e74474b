import { defineConfig } from 'vitest/config';
import { hangMs, patient } from './test/support/deadline.ts';
import LongestFirst from './test/support/longest-first.ts';

const commands = 'test/command/**/*.test.ts';

/** Tests of a feature lie in its folder. */
const ofFeatures = 'src/features/*/test';
const pages = ['test/page/**/*.test.ts', `${ofFeatures}/page/*.test.ts`];
const trials = ['test/monte-carlo/**/*.test.ts', `${ofFeatures}/monte-carlo/*.test.ts`];
const external = 'test/external/**/*.test.ts';
const stacks = 'test/stacks/*.test.ts';
/** Tests that measure this machine or starve it: nothing else runs at the same time. */
const alone = [
  'bad-days-machine',
  'calibrate',
  'first-run',
  'inside-times',
  'retry-storm',
  'starved',
  'workload-files',
].map((name) => `test/external/${name}.test.ts`);
alone.push(`${ofFeatures}/alone/*.test.ts`);

// `npm test` runs the projects `command` and `unit`, `npm run test:stacks` runs `stacks`, `npm run test:external` the others.
export default defineConfig(({ mode }) => ({
  test: {
    // Limits find hangs alone: a slow or busy machine reaches none of them.
    testTimeout: mode === 'long' ? 10 * hangMs : hangMs,
    hookTimeout: hangMs,
    teardownTimeout: hangMs,
    expect: { poll: patient },
    setupFiles: ['test/support/after-file.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/summary-line.ts'],
    // On GitHub commands would also write a summary and annotations.
    env: { MONTE_CARLO: mode === 'long' ? 'whole' : 'part', GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '' },
    // Modules are loaded once per worker: no test leaves anything behind in one.
    isolate: false,
    // Each evaluates this file again, in the mode `test` unless it is given one.
    projects: [
      {
        extends: true,
        mode,
        test: { name: 'alone', include: alone, isolate: true, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      ...[
        { name: 'command', include: [commands] },
        {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [commands, ...pages, ...trials, external, `${ofFeatures}/alone/**`, 'test/stacks/**'],
        },
        { name: 'external', include: [external, ...trials], exclude: alone },
        { name: 'page', include: pages },
        { name: 'stacks', include: [stacks] },
      ].map((each) => ({
        extends: true as const,
        mode,
        // Four workers for two cores: most files wait for processes, sockets or the browser more than they compute.
        test: { ...each, maxWorkers: 4, sequence: { groupOrder: 2 } },
      })),
    ],
  },
}));
