import { isObject } from '../../base/is-object.ts';
import { fieldsOf, isAnswered, show, type Fields } from '../answer.ts';
import type { Answer } from '../post.ts';
import { type Seen, Skipped } from '../rule.ts';
import { describe, type ApiTalk, type ApiRule } from './api-talk.ts';
import type { Dialect } from './dialect.ts';

/** What a whole reply must look like. */
export function wholeRules(dialect: Dialect): ApiRule[] {
  const { sections, kind, finish } = dialect;
  const ofReply = (given: Pick<ApiRule, 'id' | 'rule' | 'expected'>, look: (reply: Fields) => Seen) => ({
    ...given,
    section: sections.reply,
    try: async (talk: ApiTalk) => look(await talk.reply()),
  });
  return [
    {
      id: 'status',
      section: sections.reply,
      rule: 'A valid message is answered with status 200.',
      expected: '200',
      try: async (talk) => {
        const { answer } = await talk.opening();
        // The refusal of one message says nothing of replies.
        if (answer.status >= 400) await talk.requireAnswer();
        return { isKept: answer.status === 200, seen: describe(answer) };
      },
    },
    {
      id: 'json',
      section: sections.reply,
      rule: 'The body of a whole reply is a JSON object.',
      expected: 'a JSON object',
      try: async (talk) => {
        await talk.requireAnswer();
        const { answer } = await talk.opening();
        const isObject = fieldsOf(answer) !== undefined;
        return { isKept: isObject, seen: isObject ? 'a JSON object' : describe(answer) };
      },
    },
    {
      id: 'content-type',
      section: sections.reply,
      rule: 'A whole reply says that it is JSON.',
      expected: 'Content-Type: application/json',
      try: async (talk) => {
        await talk.requireAnswer();
        const { contentType } = (await talk.opening()).answer;
        return { isKept: /^application\/json\b/i.test(contentType), seen: wordType(contentType) };
      },
    },
    ofReply(
      { id: kind.member, rule: `A reply says what it is in ${kind.member}.`, expected: `"${kind.value}"` },
      (reply) => ({ isKept: reply[kind.member] === kind.value, seen: show(reply[kind.member]) }),
    ),
    ofReply({ id: 'id', rule: 'A reply has an id.', expected: 'a string that is not empty' }, ({ id }) => ({
      isKept: isText(id),
      seen: show(id),
    })),
    {
      id: 'id-distinct',
      section: sections.reply,
      rule: 'The id of a reply is its own: two replies have two.',
      expected: 'another id for every reply',
      try: async (talk) => {
        const [first, second] = await talk.ids();
        if (!isText(first) || !isText(second)) throw new Skipped('there were no two ids to compare');
        return { isKept: first !== second, seen: first === second ? `twice ${show(first)}` : 'two that differ' };
      },
    },
    ofReply(
      { id: 'model', rule: 'A reply names the model that made it.', expected: 'a string that is not empty' },
      ({ model }) => ({ isKept: isText(model), seen: show(model) }),
    ),
    ...createdRule(dialect),
    ofReply(
      { id: 'content', rule: 'What was generated has the shape of the API.', expected: 'a reply to read' },
      (reply) => {
        const judged = dialect.judge(reply);
        return 'reply' in judged
          ? { isKept: true, seen: 'a reply' }
          : { isKept: false, seen: 'broken' in judged ? judged.broken : judged.refusal.detail };
      },
    ),
    ofReply({ id: 'role', rule: 'A reply is said by the assistant.', expected: '"assistant"' }, (reply) => ({
      isKept: dialect.roleOf(reply) === 'assistant',
      seen: show(dialect.roleOf(reply)),
    })),
    ofReply(
      { id: 'finish', rule: `${finish.member} says why a reply ended.`, expected: oneOf(finish.known) },
      (reply) => judgeFinish(dialect, finish.of(reply)),
    ),
    ofReply(
      { id: 'usage', rule: 'usage tells the tokens of request and reply.', expected: wordUsage(dialect) },
      (reply) => judgeUsage(dialect, reply['usage']),
    ),
    ...(dialect.usage.total === undefined
      ? []
      : [
          ofReply({ id: 'usage-total', rule: 'total_tokens is the sum of both.', expected: 'the sum' }, (reply) =>
            judgeTotal(dialect, reply['usage']),
          ),
        ]),
    {
      id: 'limit',
      section: sections.request,
      rule: 'A reply that its limit of tokens cuts off says so.',
      expected: `${finish.member}: "${finish.cutOff}"`,
      try: async (talk) => {
        await talk.reply();
        const answer = await limitedReply(talk, dialect, talk.message(longQuestion));
        const reply = fieldsOf(answer);
        if (!isAnswered(answer) || reply === undefined) return { isKept: false, seen: describe(answer) };
        return { isKept: finish.of(reply) === finish.cutOff, seen: `${finish.member}: ${show(finish.of(reply))}` };
      },
    },
  ];
}

/** Clocks of other machines may differ by so much. */
const toleranceSeconds = 300;

function createdRule({ created, sections }: Dialect): ApiRule[] {
  if (created === undefined) return [];
  return [
    {
      id: created,
      section: sections.reply,
      rule: `${created} is the time of the reply, in seconds since 1970.`,
      expected: 'a whole number, within 5 minutes of the exchange',
      try: async (talk) => {
        const at = (await talk.reply())[created];
        const { sentAtMs, endedAtMs } = (await talk.opening()).answer;
        const isKept =
          Number.isInteger(at) &&
          Number(at) >= sentAtMs / 1000 - toleranceSeconds &&
          Number(at) <= endedAtMs / 1000 + toleranceSeconds;
        return { isKept, seen: show(at) };
      },
    },
  ];
}

/** Whether a reason for the end is one that the API knows. */
export function judgeFinish({ finish }: Dialect, seen: unknown): Seen {
  return { isKept: finish.known.some((known) => known === seen), seen: show(seen) };
}

/** The tokens that usage has to tell. */
export function wordUsage({ usage }: Dialect): string {
  return `${usage.input} and ${usage.output}, whole numbers`;
}

export function oneOf(words: readonly string[]): string {
  return `one of ${words.join(', ')}`;
}

export function wordType(contentType: string): string {
  return contentType === '' ? 'no Content-Type' : contentType;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Whether usage tells both numbers of tokens. */
export function judgeUsage({ usage: { input, output } }: Dialect, usage: unknown): Seen {
  if (!isObject(usage)) return { isKept: false, seen: `usage: ${show(usage)}` };
  const seen = [input, output].map((name) => `${name} ${show(usage[name])}`).join(', ');
  return { isKept: isCount(usage[input]) && isCount(usage[output]), seen };
}

/** Whether the total is the sum. */
function judgeTotal({ usage: { input, output, total = 'total_tokens' } }: Dialect, usage: unknown): Seen {
  if (!isObject(usage) || !isCount(usage[input]) || !isCount(usage[output]))
    throw new Skipped('there were no two numbers of tokens to add');
  return {
    isKept: usage[total] === usage[input] + usage[output],
    seen: `${show(usage[total])} of ${show(usage[input])} and ${show(usage[output])}`,
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A question whose answer is longer than any limit here. */
export const longQuestion =
  'Please count from one to one hundred in words, one number after the other, without leaving any out, and write nothing else at all.';

/** The reply to a message with a limit of tokens, by the first way of saying it that the service takes. */
export async function limitedReply(
  talk: ApiTalk,
  { limits }: Dialect,
  message: Fields,
  isStreamed = false,
): Promise<Answer> {
  const send = (limit: Fields): Promise<Answer> => talk.send({ ...message, ...limit }, { isStreamed });
  const [first = {}, ...others] = limits;
  let answer = await send(first);
  for (const limit of others) if (answer.status === 400) answer = await send(limit);
  return answer;
}
