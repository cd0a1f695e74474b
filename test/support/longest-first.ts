import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files of their projects, in this order. Others follow in the order of Vitest, by size. */
const longest = [
  'external/lost-shards',
  'external/fleet-workers',
  'external/cores',
  'external/every-secret',
  'external/capacity',
  'external/bad-days-machine',
  'external/fleet-drills',
  'external/token-lost',
  'external/fleet-network',
  'monte-carlo/capacity',
  'page/live',
  'page/ui',
  'page/any-reader',
  'command/run-command',
  'command/stopping-command',
  'command/ab',
  'command/auth-command',
  'socket/stream-books',
].map((name) => `test/${name}.test.ts`);

/** Starts the longest tests first, so that no worker is still running one of them at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return rank < 0 ? longest.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
