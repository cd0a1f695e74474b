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
import { type Observation, Skipped } from '../rule.ts';
import { withMembers, type Said, type Talk } from '../talk.ts';
import { longQuestion, statusRule, type TalkRule } from '../talk-rules.ts';
import type { Dialect } from './dialect.ts';
import { describe } from './judge-answer.ts';
import { observeNotes } from './observe-notes.ts';

/** Returns the rules of non-streamed replies. */
export function wholeRules(dialect: Dialect): TalkRule[] {
  const { sections, kind, finish, created, usage } = dialect;
  const ofTalk = (id: string, rule: string, expected: string, look: TalkRule['try']): TalkRule => ({
    id,
    section: sections.reply,
    rule,
    expected,
    try: look,
  });
  const ofReply = (id: string, rule: string, expected: string, look: (reply: Fields) => Observation): TalkRule =>
    ofTalk(id, rule, expected, async (talk) => look(await replyOf(talk)));
  return [
    statusRule(sections.reply),
    ofTalk('json', 'The body of a non-streamed reply is a JSON object.', 'a JSON object', async (talk) => {
      const { answer } = await talk.answered();
      return observeJson(answer, describe(answer));
    }),
    ofTalk(
      'content-type',
      'The Content-Type of a non-streamed reply is JSON.',
      'Content-Type: application/json',
      async (talk) => {
        const { contentType } = (await talk.answered()).answer;
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
      const [first, second] = [await talk.answered(), await talk.recalled()].map(
        ({ answer }) => fieldsOf(answer)?.['id'],
      );
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
              const at = (await replyOf(talk))[created];
              const conforms = Number.isInteger(at) && isTimeOf((await talk.answered()).answer, Number(at) * 1000);
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
        await replyOf(talk);
        const { answer } = await limitedReply(talk, dialect);
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

/** Returns the JSON object of the first reply. */
async function replyOf(talk: Talk): Promise<Fields> {
  const fields = fieldsOf((await talk.answered()).answer);
  if (fields === undefined) throw new Skipped('the body is not a JSON object');
  return fields;
}

/** Returns the reply to a message with a token limit, by the first member that the service accepts. */
export async function limitedReply(talk: Talk, { limits }: Dialect, isStreamed = false): Promise<Said> {
  const send = (limit: Fields): Promise<Said> => talk.sayAnew(longQuestion, { isStreamed, change: withMembers(limit) });
  const [first = {}, ...others] = limits;
  let said = await send(first);
  for (const limit of others) if (said.answer.status === 400) said = await send(limit);
  return said;
}
