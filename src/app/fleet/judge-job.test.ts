import { describe, expect, test } from 'vitest';
import type { ShardJob } from '../../fleet/messages.ts';
import { judgeJob } from './worker.ts';

const own = 'a'.repeat(64);
const other = 'b'.repeat(64);

const traits = { toolVersion: '1.2.3', nodeMajor: 20, scenarios: new Map([['peak/a.ts', own]]) };

const job = (differing: Partial<ShardJob> = {}): ShardJob =>
  ({ scenario: 'peak/a.ts', scenarioDigest: own, toolVersion: '1.2.3', nodeMajor: 20, ...differing }) as ShardJob;

describe('a worker', () => {
  test.each(['peak/a.ts', './peak/a.ts', 'peak/b/../a.ts'])(
    'runs a scenario that its command line names: %s',
    (scenario) => {
      expect(judgeJob(job({ scenario }), traits, 900)).toBeUndefined();
    },
  );

  test.each([
    'peak/b.ts',
    'a.ts',
    '../secret.ts',
    'peak/../../secret.ts',
    '/etc/passwd',
    'C:\\a.ts',
    'peak\\a.ts',
    'node_modules/a/index.js',
    '.git/a.js',
  ])('executes no file that its command line does not name: %s', (scenario) => {
    expect(judgeJob(job({ scenario }), traits, 900)).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('not named on the command line of this worker') as string,
    });
  });

  test.each([
    [other, 'bbbbbbbbbbbb'],
    [null, 'none'],
  ])('executes no file whose digest differs from the digest of the job: %s', (scenarioDigest, shown) => {
    expect(judgeJob(job({ scenarioDigest }), traits, 900)).toMatchObject({
      code: 'usage',
      message: `the file peak/a.ts of this worker (aaaaaaaaaaaa) differs from the file of the coordinator (${shown})`,
    });
  });

  test.each<[string, Partial<ShardJob>, string]>([
    ['another version', { toolVersion: '1.2.4' }, 'this worker has chat-load 1.2.3, the coordinator 1.2.4'],
    ['another Node.js', { nodeMajor: 22 }, 'this worker runs on Node.js 20, the coordinator on 22'],
  ])('runs nothing from a coordinator with %s', (_, differing, message) => {
    expect(judgeJob(job(differing), traits, 900)).toMatchObject({ code: 'usage', message });
  });

  test.each([
    [undefined, 'is gone'],
    [7200, 'was last active 7 s ago'],
  ])('runs nothing of a coordinator that has been silent for %s ms', (silenceMs, words) => {
    const refusal = judgeJob(job(), traits, silenceMs);
    expect(refusal).toMatchObject({ code: 'environment', message: expect.stringContaining('is too late') as string });
    expect(refusal?.message).toContain(words);
  });
});
