import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with one plain line, `N passed, N failed`, for scripts that read only that. */
export default class SummaryLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const count = (state: string): number => states.filter((each) => each === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const skipped = count('skipped') + count('pending');
    const line = `${String(count('passed'))} passed, ${String(count('failed') + broken)} failed`;
    process.stdout.write(`\n${line}${skipped > 0 ? `, ${String(skipped)} skipped` : ''}\n`);
  }
}
