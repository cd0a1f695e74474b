import { once } from 'node:events';
import { createServer } from 'node:net';
import { readFile } from 'node:fs/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { applyStep, type LiveEvents } from '../../src/report/page/live.ts';
import type { Page } from '../../src/report/page/page.ts';
import { viewResults } from '../../src/report/run/result-outline.ts';
import { makeFolder, readResult, removeFolders, startCommand, writeScenario } from '../support/command.ts';
import { performCommand } from '../support/command-in-process.ts';
import { liveAddress } from '../support/live-address.ts';

afterAll(removeFolders);

const scenario = `{
  name: 'followed',
  duration: '3s',
  gracePeriod: '2s',
  load: { concurrency: 4 },
  turns: 3,
  messages: ['Where is my order?'],
  embedded: { latency: '40ms' },
}`;

/** Yields the events of a run on arrival, until it has ended. */
async function* eventsOf(address: string): AsyncGenerator<{ event: string; data: unknown }> {
  const response = await fetch(`${address}events`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body ?? []) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    for (const block of whole) {
      const [, event, data] = /event: (.*)\ndata: (.*)/.exec(block) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}

interface Watched {
  page: Page | undefined;
  steps: number;
  ended: LiveEvents['ended'] | undefined;
  phases: string[];
}

/** Watches a run to its end as a browser would. `seen`: called after every event. */
async function watch(address: string, seen: (watched: Watched) => void = () => undefined): Promise<Watched> {
  const watched: Watched = { page: undefined, steps: 0, ended: undefined, phases: [] };
  for await (const { event, data } of eventsOf(address)) {
    if (event === 'page') watched.page = (data as LiveEvents['page']).page;
    if (event === 'step' && watched.page !== undefined) {
      watched.steps++;
      watched.phases.push((data as LiveEvents['step']).state.phase);
      watched.page = applyStep(watched.page, data as LiveEvents['step']);
    }
    if (event === 'ended') watched.ended = data as LiveEvents['ended'];
    seen(watched);
  }
  return watched;
}

const okTurns = (page: Page | undefined): number => {
  const { columns = {}, lengthMs = [] } = page?.timelines[0] ?? {};
  const rates = columns['turnsPerSecond.ok'] ?? [];
  return rates.reduce<number>((sum, rate, at) => sum + ((rate ?? 0) * (lengthMs[at] ?? 0)) / 1000, 0);
};

describe('run --live', () => {
  test('shows a run in progress, and then its report; the rows add up to the result', async () => {
    const out = await makeFolder();
    const command = startCommand(['run', await writeScenario(out, scenario), '--out', out, '--live', '0', '--quiet']);
    const address = await liveAddress(command);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const shown = await fetch(address);
    expect([shown.status, shown.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("connect-src 'self'"),
    ]);
    const watched = await watch(address);
    const { code } = await command.ended;
    const result = await readResult(out);
    expect(code).toBe(0);
    expect(watched.steps).toBeGreaterThan(1);
    const report = watched.ended?.report ?? '';
    const data = JSON.parse(/id="data">(.*)<\/script>/.exec(report)?.[1] ?? '{}') as Page;
    expect(data.verdict).toEqual(viewResults([result]).verdict);
    expect(Math.round(okTurns(data))).toBe(result.outcomes.turns.ok);
    // The last fragments arrive at the end of the run.
    const rows = watched.page?.timelines[0]?.columns['turnsPerSecond.ok']?.slice(0, 2);
    expect(rows).toEqual(data.timelines[0]?.columns['turnsPerSecond.ok']?.slice(0, 2));
    expect(rows).toHaveLength(2);
    const written = await readFile(`${out}/${watched.ended?.path.split('/').at(-1) ?? ''}`, 'utf8');
    const token = address.split('/').at(-2) ?? '';
    expect(written + report).not.toContain(token);
  });

  test('is drained by its button, and reports it', async () => {
    const out = await makeFolder();
    const long = scenario.replace("'3s'", "'60s'");
    const command = startCommand(['run', await writeScenario(out, long), '--out', out, '--live=0', '--quiet']);
    const address = await liveAddress(command);
    let isPressed = false;
    const watched = await watch(address, ({ steps }) => {
      if (steps === 0 || isPressed) return;
      isPressed = true;
      void fetch(`${address}drain`, { method: 'POST' });
    });
    const { code, stdout } = await command.ended;
    const { run } = await readResult(out);
    expect(code).toBe(130);
    expect(run).toMatchObject({
      status: 'interrupted',
      stop: { kind: 'signal', reason: 'stopped by Drain on the live page' },
    });
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('FAILED: stopped by Drain on the live page');
    expect(watched.phases).toContain('draining');
  });

  test('sends nothing if its port is in use', async () => {
    const out = await makeFolder();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const path = await writeScenario(out, scenario);
    const { code, stderr } = await performCommand(['run', path, '--out', out, '--live', String(port)]);
    taken.close();
    expect([code, stderr]).toEqual([3, expect.stringContaining(`port ${String(port)}: the port is in use`)]);
    await expect(readResult(out)).rejects.toThrow('found ');
  });

  test.each([[['--live']], [['--live', '--quiet']], [['--live', '0']], [['--live=0']]])(
    'is enabled by %j, and ends with its own error if the target cannot be reached',
    async (asked) => {
      const out = await makeFolder();
      const path = await writeScenario(
        out,
        scenario.replace("embedded: { latency: '40ms' }", "target: { agentId: 'a' }"),
      );
      const words = ['run', path, '--out', out, '--base-url', 'http://127.0.0.1:1', ...asked];
      const { code, stderr } = await performCommand(words, { CHAT_LOAD_API_KEY: 'a-key-of-a-test' });
      expect(code).toBe(3);
      expect(stderr).toMatch(/live page http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/\n/);
      expect(stderr).toMatch(/^error .*127\.0\.0\.1:1 /m);
    },
  );

  test.each([
    [['--live='], '--live is empty'],
    [['--live', 'soon'], "--live takes a port, not 'soon'"],
    [['--live', '70000'], "--live takes a port, not '70000'"],
    [['--live', '0', '--repeat', '2'], '--live follows one run, not --repeat 2'],
  ])('refuses %j', async (words, message) => {
    const out = await makeFolder();
    const { code, stderr } = await performCommand(['run', await writeScenario(out, scenario), '--out', out, ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
