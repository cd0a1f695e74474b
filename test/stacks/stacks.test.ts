import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder, readResult, root, runCommand, writeScenario } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';
import { hasPackages, python } from './python.ts';

const folder = join(root, 'test/stacks');
const inStacks = (name: string): string => join(folder, name);
const node = (agent: string): string[] => ['node', inStacks(agent)];
const withTelemetry = (agent: string): string[] => ['node', '--import', inStacks('telemetry.mjs'), inStacks(agent)];

interface Stack {
  name: string;
  start: string[];
  callsPerTurn: number;
  api: 'chat' | 'messages';
  stream?: boolean;
}

const stacks: readonly Stack[] = [
  { name: 'openai, by OpenTelemetry', start: withTelemetry('openai.mjs'), callsPerTurn: 2, api: 'chat' },
  { name: 'Anthropic, by hand', start: node('anthropic.mjs'), callsPerTurn: 2, api: 'messages' },
  {
    name: 'Anthropic, by hand and by OpenTelemetry',
    start: withTelemetry('anthropic.mjs'),
    callsPerTurn: 2,
    api: 'messages',
  },
  { name: 'LangGraph, by OpenTelemetry', start: withTelemetry('langgraph.mjs'), callsPerTurn: 2, api: 'chat' },
  { name: 'AI SDK, by hand', start: node('ai-sdk.mjs'), callsPerTurn: 2, api: 'chat' },
  {
    name: 'Express, streamed, by OpenTelemetry',
    start: withTelemetry('express.mjs'),
    callsPerTurn: 1,
    api: 'chat',
    stream: true,
  },
  ...(hasPackages('fastapi, httpx2, openai, opentelemetry.instrumentation.fastapi, uvicorn', 'The agent in Python')
    ? [
        {
          name: 'FastAPI, by OpenTelemetry',
          start: [python, inStacks('fastapi_agent.py')],
          callsPerTurn: 2,
          api: 'chat' as const,
        },
      ]
    : []),
];

const [sessions, turns] = [6, 2];

describe.each(stacks)('$name', ({ start, callsPerTurn, api, stream = false }) => {
  test('every model call is attributed to its turn, and every answer is delivered', async () => {
    const out = await makeFolder();
    const scenario = await writeScenario(
      out,
      JSON.stringify({
        name: 'stack',
        target: {
          baseUrl: `http://127.0.0.1:${String(await unusedPort())}`,
          start,
          protocol: 'openai-chat',
          agentId: 'assistant',
          auth: 'none',
          stream,
        },
        model: { port: 0, latency: '5ms', tokenTime: '0ms', tools: { calls: callsPerTurn - 1 }, delivered: true },
        messages: ['Where is order ORD-{{session.number}}?', 'When will it arrive?'],
        turns,
        sessions,
        load: { concurrency: 3 },
      }),
    );
    const { code, stdout, stderr } = await runCommand(['run', scenario, '--out', join(out, 'results')]);
    expect(code, `${stdout}\n${stderr}`).toBe(0);

    const { model } = await readResult(join(out, 'results'));
    const calls = sessions * turns * callsPerTurn;
    expect(model).toMatchObject({
      calls: { total: calls, traced: calls, unattributed: 0 },
      attributedShare: 1,
      byApi: { [api]: calls },
      byOutcome: { ok: calls },
      callsPerTurn: { turns: sessions * turns, mean: callsPerTurn, max: callsPerTurn },
      delivered: { checked: sessions * turns, delivered: sessions * turns, foreign: 0 },
      repeats: 0,
    });
  });
});
