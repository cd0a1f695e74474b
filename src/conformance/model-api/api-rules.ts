import type { Rule } from '../rule.ts';
import type { ApiTalk } from './api-talk.ts';
import { conversationRules } from './conversation-rules.ts';
import type { Dialect } from './dialect.ts';
import { refusalRules } from './refusal-rules.ts';
import { streamRules } from './stream-rules.ts';
import { wholeRules } from './whole-rules.ts';

/** Every rule of one API that can be seen from outside, in the order in which they are tried: those that these APIs share, and its own. */
export function apiRules(dialect: Dialect, own: readonly Rule<ApiTalk>[]): readonly Rule<ApiTalk>[] {
  return [
    ...wholeRules(dialect),
    ...conversationRules(dialect),
    ...streamRules(dialect),
    ...own,
    ...refusalRules(dialect),
  ];
}
