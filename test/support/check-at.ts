import { performCheck } from '../../src/app/check/perform-check.ts';
import { ms } from '../../src/base/time.ts';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import { ruleSetOf } from '../../src/conformance/rule-set.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { protocols, type ProtocolName } from '../../src/protocol/registry/registry.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';

const { agentId, apiKey, chatOffAgentId, wrongTypeApiKey } = embeddedDefaults;

function resolved(protocol: ProtocolName, baseUrl: string): ResolvedScenario {
  const stream = (protocols[protocol].protocol as { streamsOnly?: true }).streamsOnly === true;
  const target = { baseUrl, agentId, apiKey, protocol, stream };
  return resolveScenario(
    { name: 'c', sessions: 1, messages: ['Hi'], timeout: '5s', target },
    { flags: {}, environment: {} },
  );
}

/** Checks a service that knows the agents and keys of the reference service. */
export function checkAt(protocol: ProtocolName, baseUrl: string): Promise<CheckDocument> {
  return performCheck({
    resolved: resolved(protocol, baseUrl),
    scenario: undefined,
    needs: {
      chatOffAgentId,
      wrongKindKey: wrongTypeApiKey,
      variable: protocol === 'chat-messaging' ? { name: 'customerName', value: undefined } : undefined,
      words: { remember: questions.remember, recall: questions.recall },
    },
    pauseMs: ms(0),
  });
}

/** Returns the ids of the rules of a protocol, in order. */
export async function ruleIds(protocol: ProtocolName): Promise<string[]> {
  return (await ruleSetOf(resolved(protocol, 'http://127.0.0.1:9'))).rules.map(({ id }) => id);
}

/** Returns the ids of the rules with these verdicts. */
export function idsOf({ rules }: CheckDocument, ...verdicts: string[]): string[] {
  return rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
}
