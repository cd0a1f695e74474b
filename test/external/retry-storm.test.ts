import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { makeFolder, readResult, root, runCommand, writeScenario, type Ended } from '../support/command.ts';

type Policy = Result['retries']['policies'][number];

function policyOf({ retries }: Result, name: string): Policy {
  const policy = retries.policies.find((each) => each.name === name);
  if (policy === undefined) throw new Error(`no policy ${name}`);
  return policy;
}

/** The gates pass in any case: a machine that is too slow only makes the run invalid. */
const codeOf = ({ validity }: Result): number => (validity.verdict === 'invalid' ? 4 : 0);

/** The interval of a figure; there has to be one. */
function rangeOf(policy: Policy, figure: 'goodputShare' | 'amplification' | 'backoffActualPerTurnMs') {
  const range = policy.intervals[figure];
  if (range === null) throw new Error(`${policy.name} has no interval of ${figure}`);
  return range;
}

// They wait for most of their time, and have a service each.
describe.concurrent('the retry storm, with a third of its sessions', () => {
  let ended: Ended;
  let result: Result;
  beforeAll(async () => {
    const folder = await makeFolder();
    ended = await runCommand(['run', 'scenarios/retry-storm.ts', '--sessions', '200', '--out', folder]);
    result = await readResult(folder);
  });

  test('distinguishes the policies by intervals that do not overlap', () => {
    const [immediate, fullJitter] = [policyOf(result, 'immediate'), policyOf(result, 'fullJitter')];
    expect(ended.code).toBe(codeOf(result));
    expect(rangeOf(immediate, 'goodputShare').high).toBeLessThan(rangeOf(fullJitter, 'goodputShare').low);
    expect(rangeOf(immediate, 'amplification').low).toBeGreaterThan(rangeOf(fullJitter, 'amplification').high);
    expect(rangeOf(immediate, 'backoffActualPerTurnMs').high).toBeLessThan(
      rangeOf(fullJitter, 'backoffActualPerTurnMs').low,
    );
  });

  test('is reported in the text', () => {
    expect(result.retries.verdict?.pairs).toMatchObject([
      { policy: 'fullJitter', other: 'immediate', goodput: 'more', cost: 'less' },
    ]);
    expect(ended.stdout.replace(/\s+/g, ' ')).toMatch(
      /POLICIES fullJitter achieved more goodput than immediate: [\d.]+ % against [\d.]+ % of turns \(\+.* over \d+ ended sessions( and \d+ that (was|were) not created)?\), and cost the service less:/,
    );
  });

  test('shows the use of Retry-After: one policy violates it, the other obeys', () => {
    const [immediate, fullJitter] = [policyOf(result, 'immediate'), policyOf(result, 'fullJitter')];
    expect([immediate.retryAfter.obeyed, fullJitter.retryAfter.violated]).toEqual([0, 0]);
    expect(immediate.retryAfter.violated).toBeGreaterThan(0);
    expect(fullJitter.retryAfter.obeyed).toBeGreaterThan(0);
  });
});

describe.concurrent('a retry budget', () => {
  test('stops the storm of the same immediate retries, and its refusals are counted', async () => {
    const folder = await makeFolder();
    const storm = pathToFileURL(join(root, 'scenarios/retry-storm.ts')).href;
    const immediate = "maxAttempts: 6, base: 0, jitter: 'none', respectRetryAfter: false";
    const scenario = await writeScenario(
      folder,
      `{ ...(await import(${JSON.stringify(storm)})).default, sessions: 400,
         load: { concurrency: 30, rampUp: '2s' },
         retry: { immediate: { ${immediate} }, budgeted: { ${immediate}, budget: { share: 0.1, window: '2s' } } } }`,
      'storm.ts',
    );
    const { code, stdout } = await runCommand(['run', scenario, '--out', folder]);
    const result = await readResult(folder);
    const [free, budgeted] = [policyOf(result, 'immediate'), policyOf(result, 'budgeted')];
    expect(code).toBe(codeOf(result));
    expect(free.gaveUp.budget + free.creations.gaveUp.budget).toBe(0);
    expect(budgeted.gaveUp.budget).toBeGreaterThan(0);
    expect(stdout).toContain('retry budget exhausted');
    expect(rangeOf(budgeted, 'amplification').high).toBeLessThan(rangeOf(free, 'amplification').low);
    // Turns and creations share the budget. Windows slide: the retries of a stretch of 2 s may count on the attempts of the
    // stretch before too, so that a run whose load changes may have up to twice the share, whatever the machine.
    const retries = budgeted.retries + budgeted.creations.retries;
    const { createAttempts } = budgeted.outcomes;
    const attempts = budgeted.attempts + Object.values(createAttempts).reduce((sum, count) => sum + count, 0);
    expect(retries / attempts).toBeLessThan(2 * 0.1);
  });
});
