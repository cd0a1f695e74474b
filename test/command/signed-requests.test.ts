import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAwsService } from '../support/aws-service.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';

const environment = {
  CHAT_LOAD_API_KEY: '',
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};

async function perform(words: readonly string[], env: Readonly<Record<string, string>>, path = '') {
  const auth = '{ sigv4: {} }';
  const folder = await makeFolder();
  await writeScenario(
    folder,
    `{
      name: 'signed', sessions: 6, turns: 2, load: { concurrency: 3 }, messages: ['Grüße {{session.number}}'],
      target: { protocol: 'bedrock-converse', agentId: 'anthropic.model-1:0', auth: ${auth}${path === '' ? '' : `, messagesPath: '${path}'`} },
    }`,
  );
  const [verb = '', ...others] = words;
  return { folder, ...(await performCommand([verb, 'scenario.mjs', ...others], { ...environment, ...env }, folder)) };
}

test.for([
  { cores: '1', env: {} },
  { cores: '2', env: {} },
  { cores: '1', env: { AWS_SESSION_TOKEN: 'temporary/token==' } },
])('signs every request of a run on $cores cores, $env', async ({ cores, env }) => {
  const service = await openAwsService(environment.AWS_SECRET_ACCESS_KEY);
  const ended = await perform(['run', '--out', 'out', '--quiet', '--base-url', service.baseUrl, '--cores', cores], env);
  expect(ended.code, ended.stderr).toBe(0);
  const { books } = await readResult(join(ended.folder, 'out'));
  expect(books.turns).toMatchObject({ ok: 12, failed: 0 });
  expect(service.received).toHaveLength(12);
  for (const { scope, signed, token, isValid, ageMs } of service.received) {
    expect(isValid).toBe(true);
    expect(scope).toMatch(/^AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\/aws4_request$/);
    expect(signed.split(';')).toEqual(expect.arrayContaining(['host', 'x-amz-date']));
    expect(ageMs).toBeLessThan(60_000);
    expect(token).toBe('AWS_SESSION_TOKEN' in env ? env.AWS_SESSION_TOKEN : undefined);
  }
});

test.each(['/a?b=1&b=2', '/x?q=a+b&p=%C3%A9', '/model/{model}/converse'])(
  'signs the path and the query of %s as sent',
  async (path) => {
    const service = await openAwsService(environment.AWS_SECRET_ACCESS_KEY);
    const ended = await perform(['run', '--out', 'out', '--quiet', '--base-url', service.baseUrl], {}, path);
    expect(ended.code, ended.stderr).toBe(0);
    expect(service.received.map(({ isValid }) => isValid)).toEqual(Array<boolean>(12).fill(true));
  },
);

test('a wrong key is rejected by the service, and stops the run', async () => {
  const service = await openAwsService('another secret');
  const ended = await perform(['run', '--out', 'out', '--base-url', service.baseUrl], {});
  expect(ended.code).toBe(3);
  expect(ended.stdout + ended.stderr).toContain('The request signature we calculated does not match');
  expect(ended.stdout + ended.stderr).not.toContain(environment.AWS_SECRET_ACCESS_KEY);
});

test('try, plan and check sign their requests too', async () => {
  const service = await openAwsService(environment.AWS_SECRET_ACCESS_KEY);
  const tried = await perform(['try', '--base-url', service.baseUrl], {});
  expect(tried.code, tried.stderr).toBe(0);
  const planned = await perform(['plan', '--base-url', service.baseUrl], {});
  expect(planned.stdout).toContain('signed with AWS Signature Version 4');
  expect(service.received.every(({ isValid }) => isValid)).toBe(true);
  const before = service.received.length;
  await perform(['check', '--base-url', service.baseUrl], {});
  const valid = service.received.slice(before).filter(({ isValid }) => isValid);
  expect(valid.length).toBeGreaterThan(3);
});

test('names the variables that are missing', async () => {
  const ended = await perform(['run'], { AWS_SECRET_ACCESS_KEY: '', AWS_REGION: '' });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/AWS_SECRET_ACCESS_KEY/);
  expect(ended.stderr).toMatch(/AWS_REGION/);
});
