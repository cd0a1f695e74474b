import type { Rule } from '../rule.ts';
import type { ApiRule, ApiTalk } from './api-talk.ts';
import { conversationRules } from './conversation-rules.ts';
import type { Dialect } from './dialect.ts';
import { refusalRules } from './refusal-rules.ts';
import { streamRules } from './stream-rules.ts';
import { wholeRules } from './whole-rules.ts';

/** Every rule of one API that can be seen from outside, in the order in which they are tried: those that these APIs share, and its own. */
export function apiRules(dialect: Dialect, own: readonly ApiRule[]): readonly Rule<ApiTalk>[] {
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
