import { isObject } from '../../base/is-object.ts';
import {
  describeType,
  fieldsOf,
  isAnswered,
  isText,
  isTimeOf,
  observeDistinct,
  observeJson,
  show,
  type Fields,
} from '../answer.ts';
import type { Answer } from '../exchanges.ts';
import { type Observation, Skipped } from '../rule.ts';
import { describe, type ApiTalk, type ApiRule } from './api-talk.ts';
import type { Dialect } from './dialect.ts';
import { observeNotes } from './observe-notes.ts';

/** Returns the rules of non-streamed replies. */
export function wholeRules(dialect: Dialect): ApiRule[] {
  const { sections, kind, finish, created, usage } = dialect;
  const ofTalk = (id: string, rule: string, expected: string, look: ApiRule['try']): ApiRule => ({
    id,
    section: sections.reply,
    rule,
    expected,
    try: look,
  });
  const ofReply = (id: string, rule: string, expected: string, look: (reply: Fields) => Observation): ApiRule =>
    ofTalk(id, rule, expected, async (talk) => look(await talk.reply()));
  return [
    ofTalk('status', 'A valid message is answered with status 200.', '200', async (talk) => {
      const { answer } = await talk.opening();
      // The refusal of one message is not evidence about replies.
      if (answer.status >= 400) await talk.answer();
      return { conforms: answer.status === 200, seen: describe(answer) };
    }),
    ofTalk('json', 'The body of a non-streamed reply is a JSON object.', 'a JSON object', async (talk) => {
      const answer = await talk.answer();
      return observeJson(answer, describe(answer));
    }),
    ofTalk(
      'content-type',
      'The Content-Type of a non-streamed reply is JSON.',
      'Content-Type: application/json',
      async (talk) => {
        const { contentType } = await talk.answer();
        return { conforms: /^application\/json\b/i.test(contentType), seen: describeType(contentType) };
      },
    ),
    ofReply(kind.member, `${kind.member} of a reply is its kind.`, `"${kind.value}"`, (reply) => ({
      conforms: reply[kind.member] === kind.value,
      seen: show(reply[kind.member]),
    })),
    ofReply('id', 'A reply has an id.', 'a string that is not empty', ({ id }) => ({
      conforms: isText(id),
      seen: show(id),
    })),
    ofTalk('id-distinct', 'The id of a reply is unique.', 'a different id in every reply', async (talk) => {
      const [first, second] = [await talk.answer(), await talk.recalled()].map((answer) => fieldsOf(answer)?.['id']);
      if (!isText(first) || !isText(second)) throw new Skipped('there were no two ids to compare');
      return observeDistinct(first, second);
    }),
    ofReply('model', 'A reply names the model that made it.', 'a string that is not empty', ({ model }) => ({
      conforms: isText(model),
      seen: show(model),
    })),
    ...(created === undefined
      ? []
      : [
          ofTalk(
            created,
            `${created} is the time of the reply, in seconds since 1970.`,
            'a whole number, within 5 minutes of the exchange',
            async (talk) => {
              const at = (await talk.reply())[created];
              const conforms = Number.isInteger(at) && isTimeOf(await talk.answer(), Number(at) * 1000);
              return { conforms, seen: show(at) };
            },
          ),
        ]),
    ofReply(
      'content',
      'The generated content has the format of the API.',
      'content that chat-load can read',
      (reply) => {
        const judged = dialect.judge(reply);
        if ('reply' in judged) return observeNotes(judged.reply.notes);
        return { conforms: false, seen: 'broken' in judged ? judged.broken : judged.refusal.detail };
      },
    ),
    ofReply('role', 'The role of a reply is the assistant.', '"assistant"', (reply) => ({
      conforms: dialect.roleOf(reply) === 'assistant',
      seen: show(dialect.roleOf(reply)),
    })),
    ofReply('finish', `${finish.member} states why a reply ended.`, oneOf(finish.known), (reply) =>
      observeFinish(dialect, finish.of(reply)),
    ),
    ofReply('usage', 'usage reports the tokens of request and reply.', usageMembers(dialect), (reply) =>
      observeUsage(dialect, reply['usage']),
    ),
    ...(usage.total === undefined
      ? []
      : [
          ofReply(
            'usage-total',
            'total_tokens is the sum of both.',
            `total_tokens: ${usage.input} + ${usage.output}`,
            (reply) => observeTotal(dialect, reply['usage']),
          ),
        ]),
    {
      id: 'limit',
      section: sections.request,
      rule: 'A reply that is cut off by its token limit reports that.',
      expected: `${finish.member}: "${finish.cutOff}" at the token limit`,
      try: async (talk) => {
        await talk.reply();
        const answer = await limitedReply(talk, dialect);
        const reply = fieldsOf(answer);
        if (!isAnswered(answer) || reply === undefined) return { conforms: false, seen: describe(answer) };
        return { conforms: finish.of(reply) === finish.cutOff, seen: `${finish.member}: ${show(finish.of(reply))}` };
      },
    },
  ];
}

/** Observes whether a reason for the end is known to the API. */
export function observeFinish({ finish }: Dialect, seen: unknown): Observation {
  return { conforms: finish.known.some((known) => known === seen), seen: show(seen) };
}

/** Names the token counts of usage. */
export function usageMembers({ usage }: Dialect): string {
  return `${usage.input} and ${usage.output}, whole numbers`;
}

export function oneOf(words: readonly string[]): string {
  return `one of ${words.join(', ')}`;
}

/** Observes whether usage contains both numbers of tokens. */
export function observeUsage({ usage: { input, output } }: Dialect, usage: unknown): Observation {
  return observeCounts(usage, [input, output]);
}

/** Observes whether usage contains numbers of tokens. */
export function observeCounts(usage: unknown, names: readonly string[]): Observation {
  if (!isObject(usage)) return { conforms: false, seen: `usage: ${show(usage)}` };
  const seen = names.map((name) => `${name} ${show(usage[name])}`).join(', ');
  return { conforms: names.every((name) => isCount(usage[name])), seen };
}

function observeTotal({ usage: { input, output, total = 'total_tokens' } }: Dialect, usage: unknown): Observation {
  if (!isObject(usage) || !isCount(usage[input]) || !isCount(usage[output]))
    throw new Skipped('there were no two numbers of tokens to add');
  return {
    conforms: usage[total] === usage[input] + usage[output],
    seen: `${show(usage[total])} for ${show(usage[input])} + ${show(usage[output])}`,
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A question whose answer is longer than any limit here. */
export const longQuestion =
  'Please count from one to one hundred in words, one number after the other, without leaving any out, and write nothing else at all.';

/** Returns the reply to a message with a token limit, by the first member that the service accepts. */
export async function limitedReply(talk: ApiTalk, { limits }: Dialect, isStreamed = false): Promise<Answer> {
  const message = talk.message(longQuestion, isStreamed);
  const send = (limit: Fields): Promise<Answer> => talk.send({ ...message, ...limit }, { isStreamed });
  const [first = {}, ...others] = limits;
  let answer = await send(first);
  for (const limit of others) if (answer.status === 400) answer = await send(limit);
  return answer;
}
