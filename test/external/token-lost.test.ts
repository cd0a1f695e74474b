import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, readResult, runCommand, writeScenario } from '../support/command.ts';
import { openHeadsJudge } from '../support/heads-judge.ts';
import { judged } from '../support/judge-service.ts';

// Requests are patient for 30 s: both wait at once.
test.concurrent.each(['1', '2'])(
  'a token that cannot be had any more stops a run on %s cores, with its reason',
  async (cores) => {
    const folder = await makeFolder();
    const source = join(folder, 'token');
    await writeFile(source, 'a-token-that-ends');
    let taken = 0;
    // It is revoked in mid-run, and its source has none from then on.
    const refuses = (): boolean => {
      if (++taken === 200) void writeFile(source, '');
      return taken >= 200;
    };
    const judge = await openHeadsJudge({ kind: 'http', refuses });
    await writeScenario(folder, judged("duration: '60s', load: { concurrency: 4 }, stopWhen: { noSuccess: false }"));
    const words = ['run', 'scenario.mjs', '--base-url', judge.baseUrl, '--out', 'out', '--cores', cores, '--quiet'];
    const env = { CHAT_LOAD_TOKEN_COMMAND: `cat '${source}'` };
    const { code, stderr, stdout } = await runCommand(words, { cwd: folder, env });
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('the token has expired, and none could be obtained for 30 s'),
    ]);
    const { run, transport, books } = await readResult(join(folder, 'out'));
    expect(run.status).toBe('stopped');
    expect(run.stop).toMatchObject({
      kind: 'token_lost',
      reason: expect.stringContaining('printed nothing') as string,
    });
    expect(transport?.tokens).toMatchObject({ fetched: Number(cores), retried: 0 });
    expect(transport?.tokens?.failed).toBeGreaterThan(0);
    expect(books.balanced).toBe(true);
    expect(books.attempts.total + books.createAttempts.total).toBe(judge.heads.length);
    expect(stdout + stderr + JSON.stringify(run)).not.toContain('a-token-that-ends');
  },
);
