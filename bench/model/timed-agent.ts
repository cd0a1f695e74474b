// An agent in a process of its own: two model calls one after another, 10 ms of work before, between and after them.
// Prints its address, and at the end of its input the times of its turns by its own clock.
import { once } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { startKnownAgent, type LedgerTurn } from '../../test/support/known-agent.ts';

/** Times of a turn, in milliseconds. */
export interface TimedTurn {
  modelMs: number;
  agentMs: number;
}

function timed({ calls, begunAt, endedAt }: LedgerTurn): TimedTurn {
  const modelMs = calls.reduce((sum, call) => sum + call.endedAt - call.begunAt, 0);
  return { modelMs, agentMs: endedAt - begunAt - modelMs };
}

const agent = await startKnownAgent(async (turn) => {
  await pass(10);
  await turn.call();
  await pass(10);
  const { text } = await turn.call();
  await pass(10);
  return { text };
});
agent.modelOrigin = process.argv[2] ?? '';
process.stdout.write(`${agent.baseUrl}\n`);
await once(process.stdin.resume(), 'end');
await agent.idle();
agent.close();
process.stdout.write(`${JSON.stringify(agent.turns.map(timed))}\n`);
