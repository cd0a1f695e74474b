import { getEventListeners } from 'node:events';
import { senderOptions } from '../../src/app/run/perform-run.ts';
import { systemClock } from '../../src/edge/clock.ts';
import type { TlsOptions } from '../../src/edge/http/open-socket.ts';
import { openSender } from '../../src/edge/http/sender.ts';
import { chatMessaging } from '../../src/protocol/chat-messaging/chat-messaging.ts';
import { settle } from '../../src/plan/settle.ts';
import { buildResult } from '../../src/result/build-result.ts';
import type { Result } from '../../src/result/result.ts';
import { publishStop } from '../../src/result/sections/stop.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { run } from '../../src/run.ts';

interface Target {
  baseUrl: string;
  agentId?: string;
  apiKey?: string;
  tls?: TlsOptions;
}

export interface Conducted {
  result: Result;
  /** What the run still holds when it is over: nothing, if all is well. */
  left: { connections: number; listeners: number };
}

/** Runs a scenario in this process, through real sockets and real time, and gives its result. */
export async function conduct(scenario: Partial<Scenario>, target: Target): Promise<Result> {
  return (await conductClosely(scenario, target)).result;
}

/** The same, with an eye on what is left behind. */
export async function conductClosely(scenario: Partial<Scenario>, target: Target): Promise<Conducted> {
  const { agentId = 'agent-support', apiKey = 'chat-load-embedded-key', baseUrl, tls } = target;
  const full = {
    name: 'conducted',
    messages: ['Hi'],
    sessions: 1,
    retry: 'none',
    ...scenario,
    target: { baseUrl, agentId, apiKey, ...scenario.target },
  };
  const { plan, script } = settle(full, { flags: {}, environment: {} });
  const options = senderOptions(new URL(baseUrl), { plan, apiKey });
  const sender = openSender(tls === undefined ? options : { ...options, tls });
  const never = new AbortController().signal;
  const startedAt = new Date();
  const { snapshot, elapsedMs, stop } = await run(plan, script, {
    protocol: chatMessaging,
    send: sender.send,
    abortExchanges: () => sender.cut(),
    clock: systemClock,
    drain: never,
    cut: never,
    redact: (text) => text.replaceAll(apiKey, '[API key]'),
  });
  await sender.close();
  const left = { connections: sender.connections.open, listeners: getEventListeners(never, 'abort').length };
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
    stop: publishStop(stop),
    toolVersion: '0.0.0',
  } as const;
  const unmeasured = { environment: null, generator: null, traffic: null, warnings: [] };
  return { result: buildResult({ plan, snapshot, run: facts, ...unmeasured }), left };
}
