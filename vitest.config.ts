import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

const commands = 'test/command/**/*.test.ts';
const pages = 'test/page/**/*.test.ts';
/** They measure this machine, or take its time away: nothing else may run beside them, but themselves. */
const alone = [
  'bad-days-machine',
  'calibrate',
  'capacity',
  'capacity-ends',
  'retry-storm',
  'starved',
  'workload-files',
].map((name) => `test/command/${name}.test.ts`);

export default defineConfig(({ mode }) => ({
  test: {
    testTimeout: mode === 'long' ? 600_000 : 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/after-file.ts'],
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/support/summary-line.ts'],
    env: { MONTE_CARLO: mode === 'long' ? 'whole' : 'part' },
    // Each evaluates this file anew, in the mode `test` unless it is given one.
    projects: [
      {
        extends: true,
        mode,
        test: { name: 'alone', include: alone, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        mode,
        test: {
          name: 'command',
          include: [commands],
          exclude: alone,
          // They wait for processes of their own more than they compute.
          maxWorkers: 4,
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        mode,
        test: {
          name: 'page',
          include: [pages],
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        mode,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [commands, pages],
          // Modules are loaded once a worker: no test leaves anything behind in one.
          isolate: false,
          // Beside the pages, which wait for their browser, as tests of sockets wait for theirs.
          maxWorkers: 3,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
}));
