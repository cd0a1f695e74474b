import { senderOptions } from '../src/cli/perform-run.ts';
import { systemClock } from '../src/edge/clock.ts';
import { openSender } from '../src/edge/http/sender.ts';
import { settle } from '../src/plan/settle.ts';
import { buildResult } from '../src/result/build-result.ts';
import type { Result } from '../src/result/result.ts';
import type { Scenario } from '../src/scenario/scenario.ts';
import { run } from '../src/run.ts';

/** Runs a scenario in this process, through real sockets and real time, and gives its result. */
export async function conduct(
  scenario: Partial<Scenario>,
  target: { baseUrl: string; agentId?: string; apiKey?: string },
): Promise<Result> {
  const { agentId = 'agent-support', apiKey = 'chat-load-embedded-key', baseUrl } = target;
  const full = {
    name: 'conducted',
    messages: ['Hi'],
    sessions: 1,
    retry: 'none',
    ...scenario,
    target: { baseUrl, agentId, apiKey, ...scenario.target },
  };
  const { plan, script } = settle(full, { flags: {}, environment: {} });
  const sender = openSender(senderOptions(new URL(baseUrl), { plan, apiKey }));
  const never = new AbortController().signal;
  const startedAt = new Date();
  const { snapshot, elapsedMs, stop } = await run(plan, script, {
    send: sender.send,
    abortExchanges: () => sender.cut(),
    clock: systemClock,
    drain: never,
    cut: never,
    redact: (text) => text.replaceAll(apiKey, '[API key]'),
  });
  await sender.close();
  if (stop?.kind === 'bug') throw stop.error;
  const endedAt = new Date(startedAt.getTime() + elapsedMs).toISOString();
  const status = stop === undefined ? 'completed' : 'stopped';
  const facts = {
    id: 'test',
    label: null,
    sitting: null,
    pair: null,
    startedAt: startedAt.toISOString(),
    endedAt,
    status,
    toolVersion: '0.0.0',
  } as const;
  return buildResult({ plan, snapshot, run: facts, environment: null, generator: null, traffic: null, warnings: [] });
}
