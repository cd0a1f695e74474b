import { runScenario, type Result, type Scenario } from '../../src/index.ts';

/** Runs sessions of three messages, and returns the texts of their replies in the order of arrival. */
export async function playRelay(
  target: NonNullable<Scenario['target']>,
  more: Partial<Scenario> = {},
): Promise<{ result: Result; texts: string[] }> {
  const texts: string[] = [];
  const result = await runScenario({
    name: 'relay',
    sessions: 1,
    turns: 3,
    load: { concurrency: 2 },
    retry: 'none',
    onFailedTurn: 'continue',
    messages: ['one', 'two', 'three'],
    checks: { 'keep-text': (reply) => texts.push(reply) > 0 },
    target,
    ...more,
  });
  return { result, texts };
}
