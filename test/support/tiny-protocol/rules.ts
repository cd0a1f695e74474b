import { fieldsOf, show } from '../../../src/conformance/answer.ts';
import { Exchanges } from '../../../src/conformance/exchanges.ts';
import type { RuleSet } from '../../../src/conformance/rule-set.ts';
import { bindRules, type Rule } from '../../../src/conformance/rule.ts';
import { tinyRoute } from './tiny.ts';

type Ask = (text: string, key?: 'wrong') => ReturnType<Exchanges['exchange']>;

const rules: readonly Rule<Ask>[] = [
  {
    id: 'said',
    section: '1',
    rule: 'A message is repeated.',
    expected: 'the text in said',
    standing: 'required',
    try: async (ask) => {
      const said = fieldsOf(await ask('Hello'))?.['said'];
      return { conforms: said === 'Hello', seen: show(said) };
    },
  },
  {
    id: 'key-wrong',
    section: '2',
    rule: 'A wrong API key is refused.',
    expected: '401',
    standing: 'required',
    try: async (ask) => {
      const { status } = await ask('Hello', 'wrong');
      return { conforms: status === 401, seen: String(status) };
    },
  },
];

export const ruleSet: RuleSet = {
  description: 'The tiny API',
  rules,
  embedded: {},
  begin: ({ plan }, _needs, effects) => {
    const exchanges = new Exchanges(effects, () => false);
    const ask: Ask = (text, key) =>
      exchanges.exchange({
        route: tinyRoute,
        key: key ?? 'good',
        body: JSON.stringify({ agent: plan.target.agentId, text }),
      });
    return { talk: exchanges, rules: bindRules(rules, ask) };
  },
};
