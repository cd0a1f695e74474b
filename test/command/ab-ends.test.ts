import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type RunningService } from '../../src/reference-service/start.ts';
import { embeddedOptions } from '../../src/scenario/embedded.ts';
import { makeFolder, writeScenario } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';

const key = { CHAT_LOAD_API_KEY: 'chat-load-embedded-key' };
let folder: string;
let service: RunningService;
let scenario: string;
beforeAll(async () => {
  folder = await makeFolder();
  scenario = await writeScenario(
    folder,
    `{ name: 'ends', sessions: 4, turns: 2, messages: ['Hi'], gates: { 'turn.max': '< 1ms' } }`,
  );
  const options = embeddedOptions.parse({ latency: { median: '5ms', sigma: 0.1 } });
  service = await startService(options, { host: '127.0.0.1', port: 0 });
});
afterAll(() => service.close());

/** An address at which nothing listens any more. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${String(port)}`;
}

const ab = (base: string, head: string, words: readonly string[] = []) =>
  performCommand(
    [
      ...[
        'ab',
        scenario,
        '--base',
        base,
        '--head',
        head,
        '--agent-id',
        'agent-support',
        '--pairs',
        '1',
        '--force',
        ...words,
      ],
      ...['--out', join(folder, 'results')],
    ],
    key,
  );
const lastOf = (text: string): string | undefined => text.trimEnd().split('\n').at(-1);

test.each(['base', 'head'])('an unusable --%s is named by its flag', async (side) => {
  const urls = { base: 'http://localhost:1', head: 'http://localhost:1', [side]: 'nope' };
  const { code, stderr } = await ab(urls.base, urls.head);
  expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`--${side}: expected a URL .*got "nope"`))]);
});

describe('ab', () => {
  test('names the command and the last error of an agent that does not start', async () => {
    const target = `{ start: ['node', '-e', 'console.error("no key"); process.exit(3)'], auth: 'none' }`;
    const path = await writeScenario(
      await makeFolder(),
      `{ name: 'x', sessions: 2, messages: ['Hi'], target: ${target} }`,
    );
    const words = ['--base', await closedUrl(), '--head', await closedUrl(), '--agent-id', 'a', '--out', folder];
    const { code, stdout } = await performCommand(['ab', path, ...words], key);
    const last = /^FAILED: cannot start the agent \(node -e .*\): it ended with code 3: no key\.$/;
    expect([code, lastOf(stdout)]).toEqual([3, expect.stringMatching(last)]);
  });

  test.each(['base', 'head'] as const)(
    'sends nothing if the %s cannot be reached, and ends with a verdict',
    async (down) => {
      const nobody = await closedUrl();
      const sides = down === 'base' ? ([nobody, service.baseUrl] as const) : ([service.baseUrl, nobody] as const);
      const { code, stdout, stderr } = await ab(...sides);
      expect([code, lastOf(stdout)]).toEqual([3, expect.stringMatching(/^FAILED: .*cannot be reached/)]);
      expect(stderr).toContain(`the ${down}`);
      expect(service.stats().creates.classes.ok).toBe(0);
    },
  );

  test('prints no line on a run with --quiet', async () => {
    const { stdout, stderr } = await ab(service.baseUrl, service.baseUrl, ['--quiet']);
    expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^(?:PASSED|INCONCLUSIVE|FAILED|INVALID)/m)]);
  });

  test('names its runs so that none resembles the verdict, and notes that gates do not decide it', async () => {
    const { stdout, stderr } = await ab(service.baseUrl, service.baseUrl);
    const runs = stderr.split('\n').filter((line) => line.includes('gate failed'));
    expect(runs).toEqual([
      expect.stringMatching(/^ {2}run 1 of 2, base \(pair 1\), seed 1: 8 turns/),
      expect.stringMatching(/^ {2}run 2 of 2, head \(pair 1\), seed 1: 8 turns/),
    ]);
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).toContain(
      'Gates of the scenario failed in 1 run of the base and 1 of the head. A comparison ignores gates',
    );
    expect(lastOf(stdout)).toMatch(/^(PASSED|INCONCLUSIVE|FAILED|INVALID)/);
  });
});

test('compare ends with a verdict if a result cannot be read', async () => {
  const { code, stdout } = await performCommand(['compare', join(folder, 'no.json'), join(folder, 'none.json')]);
  expect([code, lastOf(stdout)]).toEqual([2, expect.stringMatching(/^FAILED: No such file or folder:/)]);
});
