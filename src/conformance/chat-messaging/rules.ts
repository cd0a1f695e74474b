import { conversationRules } from './conversation-rules.ts';
import { refusalRules } from './refusal-rules.ts';
import { replyRules } from './reply-rules.ts';
import type { Rule } from '../rule.ts';
import type { Talk } from './talk.ts';

/** Every rule of the API description that can be seen from outside, in the order in which they are tried. */
export const rules: readonly Rule<Talk>[] = [...replyRules, ...conversationRules, ...refusalRules];
