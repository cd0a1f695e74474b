import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder, root, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { openChatPeer, replyTo } from '../support/probe-peer.ts';

const preload = pathToFileURL(join(root, 'test/preload/refuse-calls.mjs')).href;

async function runScenario(env: Record<string, string>): Promise<Ended> {
  const folder = await makeFolder();
  const scenario = await writeScenario(
    folder,
    "{ name: 'short', messages: ['Hello'], sessions: 2, load: { sessionsPerSecond: 50, maxConcurrency: 1 }, embedded: { latency: '1ms' } }",
  );
  return runCommand(['run', scenario, '--out', folder], { env });
}

async function calibratePeer(env: Record<string, string>): Promise<Ended> {
  const peer = await openChatPeer((arrival) => arrival.socket.write(replyTo(arrival)));
  const words = ['calibrate', '--base-url', peer.baseUrl, '--agent-id', 'a', '--max-turns', '20'];
  return runCommand(words, { env: { ...(await calibratedHere()), CHAT_LOAD_API_KEY: 'sk-calibrate-secret', ...env } });
}

/** Every package that the owner of the product named, with a command that cannot do its work without it. */
const packages = [
  { name: 'autocannon', perform: calibratePeer },
  { name: 'p-limit', perform: runScenario },
  { name: 'hdr-histogram-js', perform: runScenario },
  { name: 'yargs', perform: (env: Record<string, string>) => runCommand(['--version'], { env }) },
  { name: 'cli-table3', perform: runScenario },
];

describe.each(packages)('$name', ({ name, perform }) => {
  test('is a runtime dependency', async () => {
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: object };
    expect(Object.keys(manifest.dependencies)).toContain(name);
  });

  test('is necessary for the product', async () => {
    const [whole, without] = await Promise.all([
      perform({}),
      perform({ NODE_OPTIONS: `--import=${preload}`, REFUSED_PACKAGE: name }),
    ]);
    expect([whole.code, whole.stderr]).toEqual([0, '']);
    expect(without.stderr + without.stdout).toContain(`${name} is called`);
  });
});
