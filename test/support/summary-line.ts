import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** Number of files whose durations are printed. */
const shown = 10;

/** Ends a test run with its slowest files, and one plain line, `N passed, N failed`, for scripts that read only that. */
export default class SummaryLine implements Reporter {
  #root = '';

  onInit({ config }: Vitest): void {
    this.#root = config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = count('skipped') + count('pending');
    const line = `${String(count('passed'))} passed, ${String(count('failed') + broken)} failed`;
    if (modules.length > shown) process.stdout.write(`\n${this.#slowest(modules)}\n`);
    process.stdout.write(`\n${line}${skipped > 0 ? `, ${String(skipped)} skipped` : ''}\n`);
  }

  /** Lists the slowest files: all seconds of their tests and hooks, also those that other files of the worker took. */
  #slowest(modules: readonly TestModule[]): string {
    return modules
      .map((module) => ({ path: relative(this.#root, module.moduleId), ms: module.diagnostic().duration }))
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, shown)
      .map(({ path, ms }) => `${(ms / 1000).toFixed(0).padStart(6)} s  ${path}`)
      .join('\n');
  }
}
