import { isAnonymous } from '../../plan/resolve-auth.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { createRoute, createBody } from '../../protocol/chat-messaging/chat-messaging.ts';
import { newCode, valuesOf, type Needs, type RuleSet } from '../rule-set.ts';
import { bindRules, type Rule } from '../rule.ts';
import { conversationRules } from './conversation-rules.ts';
import { refusalRules } from './refusal-rules.ts';
import { replyRules } from './reply-rules.ts';
import { Talk, type Subject } from './talk.ts';

/** Every rule of the API description that can be tested from outside, in the order of their tests. */
const rules = [...replyRules, ...conversationRules, ...refusalRules].map((rule): Rule<Talk> => ({
  ...rule,
  standing: rule.standing ?? 'required',
}));

export const ruleSet: RuleSet = {
  description: undefined,
  rules,
  // Injects one 500 response and one provider failure, which cannot be provoked from outside.
  embedded: {
    faults: [
      { kind: 'internal_error', first: 1 },
      { kind: 'provider', first: 1 },
    ],
  },
  begin: (resolved, needs, effects) => {
    const talk = new Talk(subjectOf(resolved, needs), effects);
    return { talk, rules: bindRules(rules, talk) };
  },
};

/** Describes the target of a scenario for the rules; every message contains its first session's values. */
function subjectOf({ plan, script, auth }: ResolvedScenario, needs: Needs): Subject {
  const { agentId, createSession } = plan.target;
  const { variable } = needs;
  const route = createRoute(createSession.path);
  const named = variable && { name: variable.name, value: variable.value ?? newCode() };
  const values = JSON.parse(valuesOf(script) ?? '{}') as Record<string, unknown>;
  return {
    agentId,
    creation: (id) => ({ route, body: createBody(createSession.body, id) }),
    sessionIdFrom: createSession.sessionIdFrom,
    chatOffAgentId: needs.chatOffAgentId,
    isOpen: auth.kind === 'none',
    isAnonymous: isAnonymous(plan.target),
    auth: plan.target.auth,
    hasWrongKindKey: needs.wrongKindKey !== undefined,
    variable: named,
    values: named === undefined ? values : { ...values, [named.name]: named.value },
    words: needs.words,
    newCode,
  };
}
