import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder, readResult, removeFolders, root, startCommand, writeScenario } from '../support/command.ts';
import {
  attack,
  floodHalfOpen,
  openDescriptors,
  resetAbruptly,
  residentMb,
  sendRaw,
  type Attacked,
} from '../support/hostile-requests.ts';
import { folderWith, listable } from '../support/results-folder.ts';
import { patient } from '../support/deadline.ts';

afterAll(removeFolders);

const scenario = `{
  name: 'attacked', duration: '10m', gracePeriod: '5s', load: { concurrency: 2 }, turns: 2,
  messages: ['Where is my order?'], embedded: { latency: '20ms' },
}`;

type Command = ReturnType<typeof startCommand>;

interface Server extends Command {
  attacked: Attacked;
  /** Expects a normal end, and checks the remaining files. */
  finish: () => Promise<void>;
}

/** Returns the groups of a pattern in the output of a command. */
async function printed({ child }: Command, wanted: RegExp, stream: 'stdout' | 'stderr' = 'stderr'): Promise<string[]> {
  let said = '';
  for await (const text of child[stream]?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(text);
    const found = wanted.exec(said);
    if (found !== null) return found.slice(1);
  }
  throw new Error(`there is no ${String(wanted)} in: ${said}`);
}

function start(words: readonly string[]): Command {
  const command = startCommand(words);
  onTestFinished(() => void command.child.kill('SIGKILL'));
  return command;
}

const endsWith =
  ({ child, ended }: Command, code: number) =>
  async (): Promise<void> => {
    child.kill('SIGINT');
    const { stderr, ...end } = await ended;
    expect([end.code, stderr]).toEqual([code, expect.not.stringContaining('bug in chat-load')]);
  };

/** Starts a run, attacks one of its addresses, and waits for its first ok turns before the end. */
async function startRun(attacks: 'metrics' | 'live page'): Promise<Server> {
  const folder = await makeFolder();
  const ports = ['--metrics-port', '0', '--live', '0'];
  const command = start(['run', await writeScenario(folder, scenario), '--out', folder, '--quiet', ...ports]);
  const found = await printed(command, /^(?=.*metrics {3}(\S+))(?=.*live page (\S+))/s);
  const [metrics = '', live = ''] = found;
  const { port, pathname } = new URL(attacks === 'metrics' ? metrics : live);
  const finish = async (): Promise<void> => {
    await vi.waitFor(
      async () =>
        expect(await (await fetch(metrics)).text()).toMatch(
          /^chat_load_turn_outcomes_total\{.*outcome="ok".*\} [1-9]/m,
        ),
      patient,
    );
    await endsWith(command, 130)();
    const { outcomes, run } = await readResult(folder);
    expect([run.status, outcomes.turns.ok > 0]).toEqual(['interrupted', true]);
  };
  return { ...command, attacked: { port: Number(port), path: pathname }, finish };
}

async function startService(words: readonly string[]): Promise<Server> {
  const command = start(['serve', '--port', '0', ...words]);
  const { port, protocol } = new URL((await printed(command, /service {2}(\S+)/, 'stdout'))[0] ?? '');
  const attacked = { port: Number(port), isTls: protocol === 'https:', path: '/v1/chat/completions' };
  return { ...command, attacked, finish: endsWith(command, 0) };
}

async function startUi(): Promise<Server> {
  const command = start(['ui', await folderWith({ 'a.json': listable({}) })]);
  const { port, pathname } = new URL((await printed(command, /results page (\S+)\n/, 'stdout'))[0] ?? '');
  return { ...command, attacked: { port: Number(port), path: pathname }, finish: endsWith(command, 0) };
}

const fixture = (name: string): string => join(root, 'test/fixtures', name);
const tls = [
  '--tls-cert',
  fixture('test-only-localhost.cert.pem'),
  '--tls-key',
  fixture('test-only-localhost.key.pem'),
];

const servers: Readonly<Record<string, () => Promise<Server>>> = {
  'the metrics of a run': () => startRun('metrics'),
  'the live page': () => startRun('live page'),
  'the results browser': startUi,
  'the reference service': () => startService([]),
  'the reference service over TLS': () => startService(tls),
};

/** A request as a browser on this machine sends it. */
const decent = ({ port, path }: Attacked): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${String(port)}\r\nConnection: close\r\n\r\n`;

describe.each(Object.entries(servers))('%s', (name, open) => {
  test('survives hostile requests, resets and a flood, and leaks neither descriptors nor memory', async () => {
    const { child, attacked, finish } = await open();
    const [status] = (await sendRaw(attacked, decent(attacked))).split('\r\n', 1);
    expect(status).toMatch(/^HTTP\/1\.1 (200|404)/);
    await attack(attacked);
    const before = [openDescriptors(child.pid), residentMb(child.pid)] as const;
    for (let round = 0; round < 3; round++) await attack(attacked);
    await resetAbruptly(attacked, 100);
    const close = await floodHalfOpen(attacked, 300);
    expect((await sendRaw(attacked, decent(attacked))).split('\r\n', 1)).toEqual([status]);
    close();
    expect(child.exitCode).toBeNull();
    if (before[0] !== undefined) {
      const limit = before[0] + 20;
      await vi.waitFor(() => expect(openDescriptors(child.pid)).toBeLessThan(limit), patient);
    }
    if (before[1] !== undefined) expect((residentMb(child.pid) ?? 0) - before[1]).toBeLessThan(150);
    await finish();
  });

  test.runIf(/metrics|live|browser/.test(name))(
    'shows nothing to a request that names another host or two, or has another origin, and withstands 100 silent connections',
    async () => {
      const { child, attacked } = await open();
      for (const fields of strangers) {
        const own = fields.replaceAll('PORT', String(attacked.port));
        const answer = await sendRaw(attacked, `GET ${attacked.path} HTTP/1.0\r\n${own}\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
        expect(answer.length).toBeLessThan(600);
      }
      const before = openDescriptors(child.pid);
      onTestFinished(await floodHalfOpen(attacked, 300));
      if (before !== undefined)
        await vi.waitFor(() => expect(openDescriptors(child.pid)).toBeLessThan(before + 120), patient);
    },
  );
});

const strangers = [
  'Host: evil.example',
  'Host: 127.0.0.1.evil.example:PORT',
  'X: y',
  'Host: 127.0.0.1:PORT\r\nHost: evil.example',
  'Host: 127.0.0.1:PORT\r\nOrigin: https://evil.example',
];
