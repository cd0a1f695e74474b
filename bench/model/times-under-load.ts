import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Result } from '../../src/result/result.ts';
import { startKnownAgent, type LedgerTurn } from '../../test/support/known-agent.ts';
import type { Finding } from '../finding.ts';
import { median } from '../markdown.ts';

const modelMs = 40;

/**
 * Measures how far the median times of a turn are from those of an agent's own clock, under load: two calls of 40 ms each
 * one after another, 10 ms of work before, between and after them. The agent runs in this process.
 */
export async function measureTimes({ folder, port }: { folder: string; port: number }): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const sessions of [16, 200]) findings.push(...(await measureAt(sessions, { folder, port })));
  return findings;
}

async function measureAt(sessions: number, { folder, port }: { folder: string; port: number }): Promise<Finding[]> {
  const agent = await startKnownAgent(async (turn) => {
    await pass(10);
    await turn.call();
    await pass(10);
    const { text } = await turn.call();
    await pass(10);
    return { text };
  });
  agent.modelOrigin = `http://127.0.0.1:${String(port)}`;
  const scenario = {
    name: `inside-${String(sessions)}`,
    messages: ['{{session.number}} {{turn.number}}'],
    integrity: false,
    sessions: sessions * 2,
    turns: 5,
    load: { concurrency: sessions },
    // The agent reads its clock late if its own process is busy.
    thinkTime: sessions > 50 ? '2s' : '0s',
    target: { protocol: 'openai-chat', agentId: 'agent', auth: 'none', baseUrl: agent.baseUrl },
    model: { port, latency: `${String(modelMs)}ms`, tokenTime: '0ms' },
  };
  const file = join(folder, `${scenario.name}.mjs`);
  await writeFile(file, `export default ${JSON.stringify(scenario)};\n`);
  const out = join(folder, scenario.name);
  await promisify(execFile)(process.execPath, ['dist/cli/main.js', 'run', file, '--out', out, '--quiet']);
  await agent.idle();
  agent.close();
  const [name = ''] = (await readdir(out)).filter((each) => each.endsWith('.json'));
  const { latency } = JSON.parse(await readFile(join(out, name), 'utf8')) as Result;
  const parts = agent.turns.map(partsOf);
  const distance = (metric: 'model.time' | 'model.agentTime', known: readonly number[]): Finding => ({
    what: `${String(sessions)} sessions: distance of the median of ${metric}, two calls per turn`,
    value: Math.abs((latency[metric]?.p50Ms ?? NaN) - median(known)),
    unit: 'ms',
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

function partsOf({ calls, begunAt, endedAt }: LedgerTurn): { modelMs: number; agentMs: number } {
  const called = calls.reduce((sum, call) => sum + call.endedAt - call.begunAt, 0);
  return { modelMs: called, agentMs: endedAt - begunAt - called };
}
