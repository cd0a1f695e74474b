import { fieldsOf, holds } from '../answer.ts';
import { describe, type ApiRule } from './api-talk.ts';
import type { Dialect } from './dialect.ts';

/** What a model must know of the conversation. */
export function conversationRules({ sections, judge }: Dialect): ApiRule[] {
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
