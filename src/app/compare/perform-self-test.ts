import { ChatLoadError } from '../../base/errors.ts';
import { selfTestResults, type SelfTest } from '../../compare/self-test.ts';
import { readSide, type SideSources } from './read-side.ts';

/** How often comparisons of a release with itself raise an alarm. */
export interface SelfTested extends SelfTest {
  label: string;
}

/** Compares the runs of one release with themselves, many times. Throws a usage error where there are fewer than ten. */
export async function performSelfTest(sources: SideSources, { q }: { q: number }): Promise<SelfTested> {
  const side = await readSide(sources);
  const found = selfTestResults(side, { q });
  if (found !== null) return { label: side.label, ...found };
  throw new ChatLoadError('usage', {
    message: `A self-test takes at least ten runs of one release; there ${side.runs.length === 1 ? 'is 1' : `are ${String(side.runs.length)}`}.`,
    hint: 'Make them with chat-load run SCENARIO --repeat 10.',
  });
}
