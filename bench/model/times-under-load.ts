import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Result } from '../../src/result/result.ts';
import type { Finding } from '../finding.ts';
import { median } from '../markdown.ts';
import { startPinned } from '../pinned.ts';
import type { TimedTurn } from './timed-agent.ts';

const modelMs = 40;

/**
 * Measures how far the median times of a turn are from those of an agent's own clock, under load: two calls of 40 ms each
 * one after another, 10 ms of work before, between and after them. The agent has a process and a core of its own.
 */
export async function measureTimes({ folder, port }: { folder: string; port: number }): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const sessions of [16, 200]) findings.push(...(await measureAt(sessions, { folder, port })));
  return findings;
}

async function measureAt(sessions: number, { folder, port }: { folder: string; port: number }): Promise<Finding[]> {
  const program = ['--import', 'jiti/register', 'bench/model/timed-agent.ts', `http://127.0.0.1:${String(port)}`];
  const agent = startPinned('target', [process.execPath, ...program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: agent.stdout as Readable })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  const scenario = {
    name: `inside-${String(sessions)}`,
    messages: ['{{session.number}} {{turn.number}}'],
    integrity: false,
    sessions: sessions * 2,
    turns: 5,
    // Users who all begin at once would wait for each other's turns in the agent, which reads its clock late then.
    load: { concurrency: sessions, rampUp: '4s' },
    thinkTime: sessions > 50 ? { min: '1s', max: '3s' } : { min: '0s', max: '200ms' },
    target: { protocol: 'openai-chat', agentId: 'agent', auth: 'none', baseUrl: await nextLine() },
    model: { port, latency: `${String(modelMs)}ms`, tokenTime: '0ms' },
  };
  const file = join(folder, `${scenario.name}.mjs`);
  await writeFile(file, `export default ${JSON.stringify(scenario)};\n`);
  const out = join(folder, scenario.name);
  const words = ['dist/cli/main.js', 'run', file, '--out', out, '--quiet'];
  await once(startPinned('generator', [process.execPath, ...words], { stdio: 'ignore' }), 'exit');
  agent.stdin?.end();
  const parts = JSON.parse(await nextLine()) as TimedTurn[];
  const [name = ''] = (await readdir(out)).filter((each) => each.endsWith('.json'));
  const { latency } = JSON.parse(await readFile(join(out, name), 'utf8')) as Result;
  const distance = (metric: 'model.time' | 'model.agentTime', known: readonly number[]): Finding => ({
    what: `${String(sessions)} sessions: distance of the median of ${metric}, two calls per turn`,
    value: Math.abs((latency[metric]?.p50Ms ?? NaN) - median(known)),
    unit: 'ms',
    atMost: 3,
  });
  return [
    distance(
      'model.time',
      parts.map((part) => part.modelMs),
    ),
    distance(
      'model.agentTime',
      parts.map((part) => part.agentMs),
    ),
  ];
}
