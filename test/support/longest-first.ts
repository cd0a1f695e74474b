import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files of their projects, in this order. Others follow in the order of Vitest, by size. */
const longest = [
  'test/external/lost-shards',
  'test/external/fleet-workers',
  'test/external/cores',
  'test/external/every-secret',
  'src/features/capacity/test/alone/capacity',
  'test/external/bad-days-machine',
  'test/external/fleet-drills',
  'test/external/token-lost',
  'test/external/fleet-network',
  'src/features/capacity/test/monte-carlo/found-capacity',
  'test/page/live',
  'test/page/ui',
  'test/page/any-reader',
  'test/command/run-command',
  'test/command/stopping-command',
  'test/command/ab',
  'test/command/auth-command',
  'test/socket/stream-books',
].map((name) => `${name}.test.ts`);

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
