import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';

const scenario = (more: string, protocol = 'openai-chat') => `{
  name: 'priced', messages: ['Hello there.', 'And now?'], sessions: 30, load: { concurrency: 5 },
  target: { protocol: '${protocol}', agentId: 'agent-support', stream: true },
  embedded: { latency: '5ms' }, ${more}
}`;

async function runWith(text: string, flags: readonly string[] = [], files: Readonly<Record<string, unknown>> = {}) {
  const folder = await makeFolder();
  const path = await writeScenario(folder, text);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
  const reports = ['md', 'html'].flatMap((kind) => ['--report', join(folder, `report.${kind}`)]);
  const out = join(folder, 'results');
  const ended = await performCommand(['run', path, '--out', out, ...reports, ...flags], {}, folder);
  const result = await readResult(out);
  const [markdown = '', page = ''] = await Promise.all(
    ['md', 'html'].map((kind) => readFile(join(folder, `report.${kind}`), 'utf8')),
  );
  return { ...ended, result, markdown, page };
}

/** Cost by the counts of the service: whatever the run reports has to add up to it. */
const total = (input: number, output: number): number => (input * 2 + output * 10) / 1e6;

describe('a streamed run with --prices', () => {
  const prices = { 'agent-support': { input: 2, output: 10 }, asOf: '2026-11-01', currency: 'EUR' };

  test('shows tokens and cost in all reports, and judges gates on them', async () => {
    const gates = `gates: { 'cost.perOkTurn': '< 0.02', 'tokens.outputPerTurn': '> 0' }`;
    const { code, stdout, result, markdown, page } = await runWith(scenario(gates), ['--prices', 'prices.json'], {
      'prices.json': prices,
    });
    expect(code).toBe(0);
    const { tokens, cost, gates: judged, books } = result;
    expect(books.broken).toEqual([]);
    expect(tokens).toMatchObject({ replies: 60, input: { reportedShare: 1 }, output: { reportedShare: 1 } });
    expect(cost?.total).toBe(total(tokens.input.tokens ?? 0, tokens.output.tokens ?? 0));
    expect(tokens.output.tokens).toBe(result.stream.outputTokens);
    expect(judged.map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass']);
    expect(stdout).toMatch(/^cost +0\.\d+ EUR for 60 messages; 0\.0\d+ EUR per ok turn, .*\n? *.*per/m);
    expect(stdout).toMatch(/^tokens +[\d,]+ input tokens \(0 % cached\), [\d,]+ output tokens/m);
    expect(markdown).toMatch(/0\.\d+ EUR for 60 messages/);
    expect(page).toContain('Tokens and cost');
    expect(page).toContain('Cost per turn');
  });

  test('of a model that is not in the file warns, and fails its gates for lack of data', async () => {
    const { code, stdout, result } = await runWith(
      scenario(`prices: 'own.json', gates: { 'cost.total': '< 1' }`),
      ['--prices', 'litellm.json'],
      {
        'litellm.json': { 'gpt-x': { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, litellm_provider: 'a' } },
      },
    );
    expect(code).toBe(1);
    expect(result.cost).toMatchObject({ total: null, unknownModels: [{ name: 'agent-support', replies: 60 }] });
    expect(stdout).toContain('The prices do not contain agent-support (60 replies)');
    expect(stdout).toMatch(/NO DATA +cost\.total/);
  });

  test('costs the same with several processes as with one', async () => {
    const text = scenario(`prices: 'prices.json'`);
    const [one, two] = [
      await runWith(text, [], { 'prices.json': prices }),
      await runWith(text, ['--cores', '2'], { 'prices.json': prices }),
    ];
    expect(two.result.cost).toEqual(one.result.cost);
    expect(two.result.tokens).toEqual(one.result.tokens);
  });
});

test('for abandoned Anthropic streams, the token count is a lower bound and the cost is unknown', async () => {
  const { code, stdout, result } = await runWith(
    scenario(
      `abandon: { share: 0.5, after: '20ms' }, prices: { 'agent-support': { input: 2, output: 10 } },
       gates: { 'cost.perOkTurn': '< 1' }`,
      'anthropic-messages',
    ).replace(`latency: '5ms'`, `latency: '5ms', stream: { gap: '20ms' }`),
  );
  const { abandoned } = result.outcomes.attempts;
  expect(abandoned).toBeGreaterThan(0);
  expect(result.cost?.unknownAttempts).toEqual({ total: abandoned, byClass: { abandoned } });
  expect(result.cost?.isAtLeast).toBe(true);
  expect(result.cost?.wasted).toBeGreaterThan(0);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^cost +at least 0\.\d+ USD/m);
  expect(result.gates[0]).toMatchObject({ verdict: 'no-data' });
});
