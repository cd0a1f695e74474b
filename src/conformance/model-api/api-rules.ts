import { holds } from '../answer.ts';
import type { RuleSet } from '../rule-set.ts';
import { bindRules, type Rule, Skipped } from '../rule.ts';
import { subjectOf } from '../subject.ts';
import { Talk, type Wire } from '../talk.ts';
import type { TalkRule } from '../talk-rules.ts';
import type { Dialect } from './dialect.ts';
import { describe, textOf } from './judge-answer.ts';
import { refusalRules } from './refusal-rules.ts';
import { streamRules } from './stream-rules.ts';
import { wholeRules } from './whole-rules.ts';

/** Returns the rules of one API: shared ones and its own. */
export function apiRuleSet(dialect: Dialect, own: readonly TalkRule[]): RuleSet {
  const rules = [
    ...wholeRules(dialect),
    memoryRule(dialect),
    ...streamRules(dialect),
    ...own,
    ...refusalRules(dialect),
  ].map((rule): Rule<Talk> => ({ ...rule, standing: required.has(rule.id) ? 'required' : 'recommended' }));
  return {
    description: dialect.description,
    rules,
    // Slow enough for the content events to arrive one after another.
    embedded: { stream: { gap: '20ms' } },
    begin: (resolved, needs, effects) => {
      const talk = new Talk(subjectOf(resolved, needs), effects, wire);
      return { talk, rules: bindRules(resolved.plan.target.stream ? rules : rules.map(mayNotStream), talk) };
    },
  };
}

const wire: Wire = { describe, nouns: { partner: 'model', session: 'conversation' } };

/** A service that rejects streams, or sends a non-streamed reply instead, can be loaded without them. */
const mayNotStream = (rule: Rule<Talk>): Rule<Talk> =>
  rule.id === 'stream-type' || rule.id === 'stream-begins' ? { ...rule, standing: 'recommended' } : rule;

/** Rules without which a run cannot read replies, or misreads them; healthy services may differ in all other rules. */
const required: ReadonlySet<string> = new Set([
  ...['status', 'json', 'id', 'content', 'finish'],
  ...['stream-begins', 'stream-type', 'stream-whole', 'stream-json', 'stream-text', 'stream-finish', 'stream-end'],
  ...['stream-object', 'stream-id', 'stream-first', 'stream-blocks', 'stream-items', 'stream-repeats', 'sequence'],
]);

const memoryRule = (dialect: Dialect): TalkRule => ({
  id: 'memory',
  section: dialect.sections.conversation,
  rule: 'A reply takes the earlier messages of the conversation into account.',
  expected: 'a reply with the code of the previous message',
  try: async (talk) => {
    await talk.requireObedience();
    const { code, verdict } = await talk.answered();
    if (verdict.reply?.notes?.some(({ rule }) => rule === 'no_id') === true)
      throw new Skipped('not testable: the reply has no id that the next message could name');
    const { answer } = await talk.recalled();
    const text = textOf(dialect, answer);
    return { conforms: holds(text, code), seen: text === undefined ? describe(answer) : `"${text}"` };
  },
});
