import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeFolder, readResult, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { judged, judgedKey, openJudge } from '../support/judge-service.ts';
import { unusedPort } from '../support/http-peer.ts';
import { requireProgram, startTinyproxy } from '../support/proxies.ts';

const password = 'hidden-pass-word';

/** Everything that a run has printed and written. */
const artefactsOf = async (folder: string, { stdout, stderr }: Ended): Promise<string> => {
  const names = await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')));
  return [stdout, stderr, ...texts].join('\n');
};

describe.runIf(requireProgram('tinyproxy', 'tinyproxy'))('a run through a proxy', () => {
  test.each([
    ['in one process, by a flag', [], true],
    ['on two cores, by a flag', ['--cores', '2'], true],
    ['on two cores, by the environment', ['--cores', '2'], false],
  ] as const)(
    '%s: its counts equal those of the service, and its password appears nowhere',
    async (_, more, byFlag) => {
      const [judge, { port, log }] = await Promise.all([openJudge(), startTinyproxy({ login: `me ${password}` })]);
      const folder = await makeFolder();
      await writeScenario(folder, judged('sessions: 12, turns: 2, load: { concurrency: 4 }'));
      const proxy = `http://me:${password}@127.0.0.1:${String(port)}`;
      const words = ['run', 'scenario.mjs', '--base-url', judge.baseUrl, '--out', 'out', ...more];
      const ended = await runCommand([...words, ...(byFlag ? ['--proxy', proxy] : [])], {
        cwd: folder,
        env: { ...judgedKey, ...(byFlag ? {} : { CHAT_LOAD_PROXY: proxy }) },
      });
      expect(ended).toMatchObject({ code: 0 });
      const result = await readResult(join(folder, 'out'));
      const name = `http://127.0.0.1:${String(port)}`;
      expect(result.transport?.proxy).toBe(name);
      expect(result.books.attempts.total).toBe(judge.messages.length);
      expect(result.transport?.exchanges.http1).toBe(judge.messages.length + judge.creations);
      expect(ended.stdout.replace(/\s+/g, ' ')).toContain(`through the proxy ${name}`);
      expect(await log()).toContain('POST http://');
      const artefacts = await artefactsOf(folder, ended);
      expect(artefacts).toContain(name);
      expect(artefacts).not.toContain(password);
      expect(artefacts).not.toContain(Buffer.from(`me:${password}`).toString('base64'));
    },
  );
});

describe('a proxy that is unreachable', () => {
  test.each([
    ['run', ['--quiet']],
    ['run', ['--cores', '2']],
    ['calibrate', []],
    ['check', []],
  ] as const)('ends chat-load %s %j before anything is sent, with the remedy', async (command, more) => {
    const judge = await openJudge();
    const folder = await makeFolder();
    await writeScenario(folder, judged('sessions: 4, turns: 1'));
    const proxy = `http://me:${password}@127.0.0.1:${String(await unusedPort())}`;
    const words = [command, 'scenario.mjs', '--base-url', judge.baseUrl, ...more];
    const ended = await runCommand(words, { cwd: folder, env: { ...judgedKey, CHAT_LOAD_PROXY: proxy } });
    expect(ended.stderr).toContain('the proxy http://127.0.0.1:');
    expect(ended.stderr).toContain('cannot be reached: connection refused');
    expect(ended.stderr).toContain('--proxy');
    expect(ended.stdout + ended.stderr).not.toContain(password);
    expect(ended.code).not.toBe(0);
    expect(judge.creations).toBe(0);
  });
});

describe('a token URL with http', () => {
  async function listen(answer: RequestListener): Promise<string> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.close().closeAllConnections());
    return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  test('is reached directly: the client secret goes through no proxy', async () => {
    const secret = 'oauth-client-secret-0042';
    const asked: (string | undefined)[] = [];
    const proxy = await listen(({ url, headers }, response) => {
      asked.push(url, headers.authorization);
      response.writeHead(502).end();
    });
    let tokens = 0;
    const tokenUrl = await listen((_, response) => {
      tokens += 1;
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ access_token: 'a-token-of-the-run', token_type: 'bearer', expires_in: 600 }));
    });
    const folder = await makeFolder();
    const oauth = `target: { agentId: 'a', auth: { oauth: { tokenUrl: '${tokenUrl}/t', clientId: 'me' } } }`;
    await writeScenario(folder, judged('sessions: 1, turns: 1').replace("target: { agentId: 'a' }", oauth));
    const words = ['run', 'scenario.mjs', '--base-url', 'http://127.0.0.1:9', '--proxy', proxy, '--out', 'out'];
    const ended = await runCommand(words, { cwd: folder, env: { CHAT_LOAD_OAUTH_CLIENT_SECRET: secret } });
    expect(tokens, ended.stderr).toBe(1);
    expect(asked).not.toContain(`${tokenUrl}/t`);
    expect(asked.join(' ')).not.toContain('Basic');
    // Requests of the run do go through it.
    expect(asked).toContain('Bearer a-token-of-the-run');
  });
});
