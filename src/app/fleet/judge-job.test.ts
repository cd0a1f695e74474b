import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ShardJob } from '../../fleet/shard-job.ts';
import { makeFolder } from '../../../test/support/command.ts';
import { judgeJob, type WorkerTraits } from './judge-job.ts';

let traits: WorkerTraits;

beforeAll(async () => {
  const above = await makeFolder();
  const folder = join(above, 'agents');
  await mkdir(join(folder, 'peak'), { recursive: true });
  await writeFile(join(folder, 'peak', 'a.ts'), '');
  await writeFile(join(folder, '..b.ts'), '');
  await writeFile(join(above, 'secret.ts'), '');
  await symlink(join(above, 'secret.ts'), join(folder, 'link.ts'));
  await symlink(above, join(folder, 'up'));
  await symlink(join(folder, 'peak', 'a.ts'), join(folder, 'within.ts'));
  traits = { toolVersion: '1.2.3', nodeMajor: 20, folder };
});

const job = (differing: Partial<ShardJob> = {}): ShardJob =>
  ({ scenario: 'peak/a.ts', toolVersion: '1.2.3', nodeMajor: 20, ...differing }) as ShardJob;

describe('a worker', () => {
  test.each(['peak/a.ts', './peak/a.ts', '..b.ts', 'within.ts'])(
    'plays a scenario of its folder: %s',
    async (scenario) => {
      expect(await judgeJob(job({ scenario }), traits, 900)).toBeUndefined();
    },
  );

  test.each([
    '../secret.ts',
    'peak/../../secret.ts',
    'link.ts',
    'up/secret.ts',
    '/etc/passwd',
    'C:\\a.ts',
    'peak\\..\\..\\a.ts',
  ])('plays none outside its folder: %s', async (scenario) => {
    const refusal = await judgeJob(job({ scenario }), traits, 900);
    expect(refusal).toMatchObject({ code: 'usage', message: expect.stringContaining('outside the folder') });
  });

  test('says which scenario it does not have', async () => {
    expect(await judgeJob(job({ scenario: 'peak/b.ts' }), traits, 900)).toMatchObject({
      code: 'usage',
      message: 'the scenario peak/b.ts cannot be read here: there is no such file or folder',
    });
  });

  test.each<[string, Partial<ShardJob>, string]>([
    ['another version', { toolVersion: '1.2.4' }, 'this worker has chat-load 1.2.3, the coordinator 1.2.4'],
    ['another Node.js', { nodeMajor: 22 }, 'this worker runs on Node.js 20, the coordinator on 22'],
  ])('plays nothing from a coordinator with %s', async (_, differing, message) => {
    expect(await judgeJob(job(differing), traits, 900)).toMatchObject({ code: 'usage', message });
  });

  test.each([
    [undefined, 'is gone'],
    [7200, 'was last heard of 7 s ago'],
  ])('plays nothing of a coordinator that has been silent for %s ms', async (silenceMs, words) => {
    const refusal = await judgeJob(job(), traits, silenceMs);
    expect(refusal).toMatchObject({ code: 'environment', message: expect.stringContaining('comes too late') });
    expect(refusal?.message).toContain(words);
  });
});
