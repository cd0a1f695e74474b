import { getEventListeners } from 'node:events';
import { conductRun } from '../../src/app/run/conduct-run.ts';
import { senderOptions } from '../../src/app/run/open-generator.ts';
import { publishRun } from '../../src/app/run/publish-run.ts';
import { systemClock } from '../../src/edge/clock.ts';
import type { TlsOptions } from '../../src/edge/http/connect/secure-options.ts';
import { loadTransport, openSender } from '../../src/edge/http/open-sender.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { runFacts } from './synthetic-result.ts';

interface Target {
  baseUrl: string;
  agentId?: string;
  apiKey?: string;
  tls?: TlsOptions;
}

interface Conducted {
  result: Result;
  /** Handles that are still open after the run: none, if all is well. */
  left: { connections: number; listeners: number };
}

/** Runs a scenario in this process, through real sockets and real time, and returns its result. */
export async function conduct(scenario: Partial<Scenario>, target: Target): Promise<Result> {
  return (await conductClosely(scenario, target)).result;
}

/** Runs it and also returns the handles that are left. */
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
  const resolved = resolveScenario(full, { flags: {}, environment: {} });
  const options = senderOptions(new URL(baseUrl), resolved);
  await loadTransport(options);
  const sender = openSender(tls === undefined ? options : { ...options, tls });
  const never = new AbortController().signal;
  const run = { ...runFacts, startedAt: new Date().toISOString() };
  const outcome = await conductRun(resolved, { sender, clock: systemClock, stops: { drain: never, cut: never } });
  await sender.close();
  const left = { connections: sender.connections.open, listeners: getEventListeners(never, 'abort').length };
  if (outcome.stop?.kind === 'bug') throw outcome.stop.error;
  return { result: publishRun(resolved, outcome, { run, ...unmeasured }), left };
}

const unmeasured = { environment: null, generator: null, traffic: null, transport: null, warnings: [] };
