import { afterAll, beforeAll, expect, test } from 'vitest';
import { performCheck } from '../../src/app/check/perform-check.ts';
import { ms } from '../../src/base/time.ts';
import { renderDocument } from '../../src/index.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { protocols, type ProtocolRow } from '../../src/protocol/registry/registry.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { conduct } from '../support/conduct.ts';
import { openService } from '../support/reference-client.ts';
import { tiny } from '../support/tiny-protocol/tiny.ts';

/** The complete registration of a protocol, besides its folder. */
const row: ProtocolRow = {
  protocol: tiny,
  otherNames: [],
  preference: 9,
  rules: () => import('../support/tiny-protocol/rules.ts'),
  served: () => import('../support/tiny-protocol/served.ts'),
};
const rows: Record<string, ProtocolRow> = protocols;
beforeAll(() => {
  rows['tiny'] = row;
});
afterAll(() => {
  delete rows['tiny'];
});

/** The compiler knows only the names of the rows in the file. */
const protocol = 'tiny' as 'openai-chat';

test('a protocol with a folder and a row is run against its side of the reference service, and reported', async () => {
  const { baseUrl, stats } = await openService({});
  const scenario = { sessions: 3, turns: 2, messages: ['Hello', 'And now?'], target: { protocol } };
  const result = await conduct(scenario, { baseUrl });
  expect([result.books.balanced, result.outcomes.attempts]).toMatchObject([true, { ok: 6 }]);
  expect(stats().byApi[protocol].messages).toMatchObject({ received: 6, classes: { ok: 6 } });
  expect(await renderDocument(result)).toContain('tiny');
});

test('and is checked by its own rules', async () => {
  const { baseUrl } = await openService({});
  const { agentId, apiKey } = embeddedDefaults;
  const author = { name: 'c', sessions: 1, messages: ['Hi'], target: { baseUrl, agentId, apiKey, protocol } };
  const words = { remember: (code: string) => code, recall: '' };
  const check = await performCheck({
    resolved: resolveScenario(author, { flags: {}, environment: {} }),
    scenario: undefined,
    needs: { chatOffAgentId: undefined, wrongKindKey: undefined, variable: undefined, words },
    pauseMs: ms(0),
  });
  expect(check).toMatchObject({ protocol: { name: 'tiny' }, exchanges: 2, counts: { passed: 2, failed: 0 } });
  expect(await renderDocument(check)).toContain('2 of 2 rules passed');
});
