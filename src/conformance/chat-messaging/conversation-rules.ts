import { questions } from '../../protocol/chat-messaging/questions.ts';
import { holds, isAnswered } from '../answer.ts';
import { Skipped } from '../rule.ts';
import type { Opening, Talk } from '../talk.ts';
import {
  describeAnswer,
  firstSession,
  newSession,
  replyText,
  requireAnswer,
  say,
  type MessagingRule,
} from './messages.ts';

/** Rules of the agent's memory. */
export const conversationRules: readonly MessagingRule[] = [
  {
    id: 'memory',
    section: '1, 4.1',
    rule: 'The agent keeps the earlier turns of the session.',
    expected: 'a reply with the code of the previous message',
    try: async (talk) => {
      const { code } = await requireObedience(talk);
      const { answer } = await talk.recalled();
      return { conforms: holds(replyText(answer), code), seen: describeAnswer(answer) };
    },
  },
  {
    id: 'sessions-apart',
    section: '1, 4.1',
    rule: 'A session contains its own turns, not the turns of another session.',
    expected: 'a reply without the code of another session',
    try: async (talk) => {
      const { code } = await requireMemory(talk);
      const answer = await say(talk, await newSession(talk), talk.subject.needs.words.recall);
      return { conforms: isAnswered(answer) && !holds(replyText(answer), code), seen: describeAnswer(answer) };
    },
  },
  {
    id: 'variables-used',
    section: '4.1',
    rule: 'variableValues supply the values for the agent’s variables.',
    expected: 'a reply with the value that was sent',
    try: async (talk) => {
      const { name, value } = requireVariable(talk);
      await requireObedience(talk);
      const answer = await say(talk, await newSession(talk), askFor(name), withValue(talk, name, value));
      return { conforms: holds(replyText(answer), value), seen: describeAnswer(answer) };
    },
  },
  {
    id: 'variables-per-message',
    section: '4.1',
    rule: 'variableValues apply to their message only: the next one needs them again.',
    expected: 'a reply without the value of the previous message',
    try: async (talk) => {
      const { name, value } = requireVariable(talk);
      await requireObedience(talk);
      const used = await say(talk, await newSession(talk), askFor(name), withValue(talk, name, value));
      if (!holds(replyText(used), value)) throw new Skipped('the agent does not seem to use values');
      // Uses a new session, because an agent would remember the value from an earlier reply.
      const session = await newSession(talk);
      const hidden = talk.subject.newCode();
      await say(talk, session, 'Please answer with the word yes alone.', withValue(talk, name, hidden));
      const answer = await say(talk, session, askFor(name), { variableValues: undefined });
      if (!isAnswered(answer))
        throw new Skipped(`a message without values was not answered: ${describeAnswer(answer)}`);
      return { conforms: !holds(replyText(answer), hidden), seen: describeAnswer(answer) };
    },
  },
  {
    id: 'variables-optional',
    section: '2.1',
    rule: 'variableValues may be omitted.',
    expected: 'a reply to a message without variableValues',
    try: async (talk) => {
      await requireAnswer(talk);
      const answer = await say(talk, await firstSession(talk), 'Hello again.', { variableValues: undefined });
      return { conforms: isAnswered(answer), seen: describeAnswer(answer) };
    },
  },
  {
    id: 'two-at-once',
    section: '4.1',
    rule: 'Two concurrent messages to one session are both answered, one after the other, and both remembered.',
    expected: 'two replies, and both messages remembered',
    try: async (talk) => {
      const session = await newSession(talk);
      const tags = [talk.subject.newCode(), talk.subject.newCode()];
      const answers = await Promise.all(tags.map((tag) => say(talk, session, questions.echo(tag))));
      const refused = answers.find((answer) => !isAnswered(answer));
      if (refused !== undefined) return { conforms: false, seen: describeAnswer(refused) };
      if (!(await remembers(talk)))
        throw new Skipped('both were answered; this agent does not show whether both are remembered');
      const crossed = answers.find((answer, index) => !holds(replyText(answer), tags[index] ?? ''));
      if (crossed !== undefined)
        return { conforms: false, seen: `the answer to another message: ${describeAnswer(crossed)}` };
      const list = await say(talk, session, questions.list);
      const isWhole = tags.every((tag) => holds(replyText(list), tag));
      return { conforms: isWhole, seen: isWhole ? 'two replies, both remembered' : describeAnswer(list) };
    },
  },
];

const askFor = (name: string): string => `What is my ${name}? Please repeat it word for word.`;

const withValue = (talk: Talk, name: string, value: string) => ({
  variableValues: { ...(JSON.parse(talk.subject.values) as object), [name]: value },
});

function requireVariable({ subject }: Talk): { name: string; value: string } {
  const { name, value } = subject.needs.variable ?? {};
  if (name === undefined || value === undefined)
    throw new Skipped('name a variable of the agent’s instructions with --variable name=value');
  return { name, value };
}

/** If an agent does not even repeat a word of the same message, its memory cannot be tested. */
async function requireObedience(talk: Talk): Promise<Opening> {
  await requireAnswer(talk);
  const opening = await talk.opening();
  if (!hasObeyed(opening))
    throw new Skipped(`not testable: the agent did not repeat the test word: ${describeAnswer(opening.answer)}`);
  return opening;
}

const hasObeyed = ({ answer, tag }: Opening): boolean => holds(replyText(answer), tag);

async function requireMemory(talk: Talk): Promise<Opening> {
  const opening = await requireObedience(talk);
  if (!(await remembers(talk))) throw new Skipped('the agent does not seem to remember anything');
  return opening;
}

async function remembers(talk: Talk): Promise<boolean> {
  const opening = await talk.opening();
  return hasObeyed(opening) && holds(replyText((await talk.recalled()).answer), opening.code);
}
