import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { newCode, type Needs, type RuleSet } from '../rule-set.ts';
import { bindRules, type Rule } from '../rule.ts';
import { subjectOf, type Subject } from '../subject.ts';
import { Talk } from '../talk.ts';
import { conversationRules } from './conversation-rules.ts';
import { refusalRules } from './refusal-rules.ts';
import { messagingWire } from './messages.ts';
import { replyRules } from './reply-rules.ts';

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
    const talk = new Talk(messagingSubject(resolved, needs), effects, messagingWire);
    return { talk, rules: bindRules(rules, talk) };
  },
};

/** Describes the target; every message contains the values of the scenario's first session, and the named one. */
function messagingSubject(resolved: ResolvedScenario, needs: Needs): Subject {
  const subject = subjectOf(resolved, needs);
  const variable = needs.variable && { name: needs.variable.name, value: needs.variable.value ?? newCode() };
  const values = JSON.parse(subject.values === '' ? '{}' : subject.values) as object;
  return {
    ...subject,
    needs: { ...needs, variable },
    values: JSON.stringify(variable === undefined ? values : { ...values, [variable.name]: variable.value }),
  };
}
