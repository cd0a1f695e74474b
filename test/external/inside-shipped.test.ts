import { describe, expect, test } from 'vitest';
import { makeFolder, readResult, runCommand } from '../support/command.ts';
import { unusedPort } from '../support/http-peer.ts';
import { writeInside } from '../support/inside-run.ts';
import { openAgent } from '../support/known-agent.ts';

const joined = (text: string): string => text.replace(/\s+/g, ' ');

describe('the shipped scenario with both sides of an agent', () => {
  const portsOf = async (): Promise<string[]> => {
    const [front, model] = await Promise.all([unusedPort(), unusedPort()]);
    return ['--base-url', `http://127.0.0.1:${String(front)}`, '--model-port', String(model)];
  };

  test('runs as it is, and its report shows the flaw of its agent', async () => {
    const folder = await makeFolder();
    const { code, stdout, stderr } = await runCommand([
      'run',
      'scenarios/inside.ts',
      '--out',
      folder,
      ...(await portsOf()),
    ]);
    const result = await readResult(folder);
    const { model, books, validity } = result;
    // A busy machine makes a run invalid, which does not matter here.
    expect(code, stderr).toBe(validity.verdict === 'invalid' ? 4 : 0);
    expect(books.broken).toEqual([]);
    const abandoned = result.outcomes.attempts.abandoned;
    expect(abandoned).toBeGreaterThan(0);
    expect(model?.orphaned.calls).toBeGreaterThanOrEqual(abandoned);
    expect(model?.attributedShare).toBe(1);
    expect(model?.delivered).toMatchObject({ share: 1, foreign: 0 });
    expect(model?.callsPerTurn.p50).toBe(2);
    expect(result.cost?.source).toBe('model');
    expect(joined(stdout)).toMatch(/inside a turn/i);
    expect(joined(stdout)).toMatch(/orphaned/i);
  });

  test('is planned with the address for the agent', async () => {
    const words = await portsOf();
    const { code, stdout, stderr } = await runCommand(['plan', 'scenarios/inside.ts', ...words]);
    expect(code, stderr).toBe(0);
    expect(joined(stdout)).toContain(`OPENAI_BASE_URL=http://127.0.0.1:${words.at(-1) ?? ''}/v1`);
  });

  test('is tried: the agent calls the model and forwards the trace', async () => {
    const { code, stdout, stderr } = await runCommand(['try', 'scenarios/inside.ts', ...(await portsOf())]);
    expect(code, stdout + stderr).toBe(0);
    expect(joined(stdout)).toMatch(/model +\d+ calls \(model-a\).*all with the trace of their turn/);
  });
});

describe('try, with a model service', () => {
  test.for([
    {
      name: 'forwards no trace',
      forward: () => ({}),
      calls: 1,
      report: /0 with the trace of their turn next step +Let the agent forward traceparent/,
    },
    {
      name: 'does not call the model',
      forward: undefined,
      calls: 0,
      report: /no model call: is the agent configured with OPENAI_BASE_URL/,
    },
    {
      name: 'forwards the trace',
      forward: undefined,
      calls: 2,
      report: /calls \(model-a\), all with the trace of their turn/,
    },
  ])('reports an agent that $name', async ({ forward, calls, report }) => {
    const agent = await openAgent(async ({ call }) => {
      for (let count = 0; count < calls; count++) await call();
      return { text: 'Here you are.' };
    }, forward && { forward });
    const { folder } = await writeInside(agent, { sessions: 1 });
    const { stdout, stderr } = await runCommand(['try', 'scenario.mjs'], { cwd: folder });
    expect(joined(stdout), stderr).toMatch(report);
    expect(agent.turns.length).toBeGreaterThan(0);
  });

  test('reports an agent that fails without a model call, and its address', async () => {
    const agent = await openAgent(() => Promise.resolve({ text: 'fetch failed', status: 502 }));
    const { folder, port } = await writeInside(agent, { sessions: 1 });
    const { code, stdout } = await runCommand(['try', 'scenario.mjs'], { cwd: folder });
    expect(code).toBe(1);
    expect(joined(stdout)).toContain(
      `no model call: is the agent configured with OPENAI_BASE_URL=http://127.0.0.1:${String(port)}/v1?`,
    );
    expect(joined(stdout)).toContain('next step Set the base URL of its model before the agent starts');
  });
});
