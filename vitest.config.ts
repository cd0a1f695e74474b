import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    // Many tests wait for processes of their own: two at a time keep two cores busy, more would get in each other's way.
    maxWorkers: 2,
    reporters: ['default', './test/support/summary-line.ts'],
  },
});
