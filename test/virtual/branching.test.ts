import { written } from '../support/render-outline.ts';
import { planReport } from '../../src/report/plan/plan-outline.ts';
import { expect, test } from 'vitest';
import { planScenario } from '../../src/index.ts';
import type { NextMessage } from '../../src/scenario/scenario-values.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

/** Goes on until a reply is short enough, or the user has had enough. */
const next: NextMessage = ({ text }, { random }) => (text === 'Bye.' || random() < 0.2 ? null : 'And then?');

const service: ServiceModel = (operation, at) => ({
  afterMs: 50,
  ...(operation === 'create' ? { status: 201 } : { status: at % 7 === 0 ? 503 : 200, data: { response: 'Hm.' } }),
});

test('the counts of conversations that end when their users are done include only the wanted turns', async () => {
  const { result, served } = await witness(
    { messages: { first: 'Hi', next }, turns: 12, sessions: 60, thinkTime: '33ms', retry: 'none' },
    service,
  );
  const { turns, sessions } = result.books;
  expect(turns.sent).toBe(served.filter(({ operation }) => operation === 'message').length);
  expect(turns).toMatchObject({ planned: turns.sent, skipped_prior_failure: 0, skipped_run_end: 0 });
  expect([turns.failed > 0, sessions.completed > 0, sessions.completed + sessions.failed]).toEqual([true, true, 60]);
  expect(turns.sent).toBeLessThan(60 * 12);
});

test('a plan shows the first message of such a conversation, and calls its turns a bound', async () => {
  const view = await planScenario({ name: 'x', messages: { first: 'Hi', next }, turns: 3, sessions: 5 });
  expect(view.preview[0]).toMatchObject({ turns: 3, messages: ['Hi'] });
  const text = written(planReport, view);
  expect(text).toContain('at most 15, 3 per session on average');
  expect(text).toMatch(/session 1, at most 3 turns\n {2}1\. Hi\n {2}Further messages depend on the replies\./);
});
