import type { Settled } from '../../plan/settle.ts';
import type { ChatApi } from '../../protocol/protocol.ts';
import { fieldsOf, holds } from '../answer.ts';
import { newCode, valuesOf, type Needs, type RuleSet } from '../rule-set.ts';
import { bindRules, type Rule } from '../rule.ts';
import { ApiTalk, describe, type ApiRule, type ApiSubject } from './api-talk.ts';
import type { Dialect } from './dialect.ts';
import { refusalRules } from './refusal-rules.ts';
import { streamRules } from './stream-rules.ts';
import { wholeRules } from './whole-rules.ts';

/** The rules of one API: those that these APIs share, and its own. */
export function apiRuleSet(dialect: Dialect, own: readonly ApiRule[]): RuleSet {
  const rules = apiRules(dialect, own);
  return {
    description: dialect.description,
    rules,
    // Slow enough for the pieces to come one after the other.
    embedded: { stream: { gap: '20ms' } },
    begin: (settled, needs, effects) => {
      const talk = new ApiTalk(subjectOf(settled, needs, dialect), effects);
      return { talk, rules: bindRules(settled.plan.target.stream ? rules : rules.map(mayNotStream), talk) };
    },
  };
}

/** The service that a settled scenario aims at, as the rules see it. */
function subjectOf({ plan, script, auth }: Settled, { words }: Needs, dialect: Dialect): ApiSubject {
  const target = { ...plan.target, instructions: script.instructions };
  const open = (stream: boolean): ChatApi => script.protocol.open({ ...target, stream });
  return {
    dialect,
    whole: open(false),
    streamed: open(true),
    values: valuesOf(script) ?? '',
    timeoutMs: plan.timeoutMs,
    isOpen: auth.kind === 'none',
    words,
    newCode,
  };
}

/** A service that refuses streams, or answers with a whole reply instead, can be loaded without them. */
const mayNotStream = (rule: Rule<ApiTalk>): Rule<ApiTalk> =>
  rule.id === 'stream-type' || rule.id === 'stream-begins' ? { ...rule, standing: 'recommended' } : rule;

/** Every rule of one API that can be seen from outside, in the order in which they are tried. */
function apiRules(dialect: Dialect, own: readonly ApiRule[]): readonly Rule<ApiTalk>[] {
  const rules = [
    ...wholeRules(dialect),
    ...conversationRules(dialect),
    ...streamRules(dialect),
    ...own,
    ...refusalRules(dialect),
  ];
  return rules.map((rule) => ({ ...rule, standing: required.has(rule.id) ? 'required' : 'recommended' }));
}

/** Rules without which a run cannot read replies, or takes them for others: healthy services differ in all the rest. */
const required: ReadonlySet<string> = new Set([
  ...['status', 'json', 'id', 'content', 'finish'],
  ...['stream-begins', 'stream-type', 'stream-whole', 'stream-json', 'stream-text', 'stream-finish', 'stream-end'],
  ...['stream-object', 'stream-id', 'stream-first', 'stream-blocks', 'stream-items', 'stream-repeats', 'sequence'],
]);

/** What a model must know of the conversation. */
function conversationRules({ sections, judge }: Dialect): ApiRule[] {
  return [
    {
      id: 'memory',
      section: sections.conversation,
      rule: 'A message is answered with what was said before it in the conversation.',
      expected: 'a reply with the code of the previous message',
      try: async (talk) => {
        await talk.requireObedience();
        const { code } = await talk.opening();
        const answer = await talk.recalled();
        const judged = judge(fieldsOf(answer) ?? {});
        const text = 'reply' in judged ? judged.reply.text : undefined;
        return { isKept: holds(text, code), seen: text === undefined ? describe(answer) : `"${text}"` };
      },
    },
  ];
}
