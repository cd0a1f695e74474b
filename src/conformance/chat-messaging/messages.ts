import { errorTexts } from '../../protocol/chat-messaging/api.ts';
import { isObject } from '../../base/is-object.ts';
import type { Conversation } from '../../protocol/protocol.ts';
import { describeReply, fieldsOf, isAnswered, isTransient, type Fields } from '../answer.ts';
import type { Answer } from '../exchanges.ts';
import { Skipped } from '../rule.ts';
import { withMembers, type Talk, type Wire } from '../talk.ts';
import type { TalkRule } from '../talk-rules.ts';

/** A rule of the API; required unless it is marked as recommended. */
export type MessagingRule = TalkRule & { standing?: 'recommended' };

export const messagingWire: Wire = {
  describe: describeAnswer,
  nouns: { partner: 'agent', session: 'session' },
  // Source: the API description, sections 7 and 8.
  isTransient: (answer) => isTransient(answer) || isProviderFailure(answer),
};

export interface SeenReply {
  data: Fields;
  answer: Answer;
}

/** Sends a message to a session with these fields over the usual ones; a field that is `undefined` is omitted. */
export async function say(talk: Talk, to: Conversation, message: string, over: Fields = {}): Promise<Answer> {
  return (await talk.say(to, message, { change: withMembers(over) })).answer;
}

/** Returns the conversation of the first session. */
export async function firstSession(talk: Talk): Promise<Conversation> {
  return talk.conversationOf(await talk.first());
}

/** Creates a separate session for a rule. */
export async function newSession(talk: Talk): Promise<Conversation> {
  await requireAnswer(talk);
  return talk.conversationOf(await talk.begin(talk.subject.whole));
}

export async function requireAnswer(talk: Talk): Promise<void> {
  if (!isAnswered((await talk.opening()).answer)) throw new Skipped('a plain message was not answered');
}

/** Returns the replies to the first two messages. */
export async function repliesOf(talk: Talk): Promise<SeenReply[]> {
  const replies = [await talk.opening(), await talk.recalled()].flatMap(({ answer }) => {
    const data = dataOf(answer);
    return data === undefined ? [] : [{ data, answer }];
  });
  if (replies.length === 0) throw new Skipped('there was no message result to check');
  return replies;
}

/** Returns the message result in a reply, if any. */
function dataOf(answer: Answer): Fields | undefined {
  const data = fieldsOf(answer)?.['data'];
  return isAnswered(answer) && isObject(data) ? data : undefined;
}

/** Returns the agent's text in a reply, if any. */
export function replyText(answer: Answer): string | undefined {
  const response = dataOf(answer)?.['response'];
  return typeof response === 'string' ? response : undefined;
}

/** Reports whether a body contains a text, in any member; a separate rule requires the member `error`. */
export function contains(answer: Answer, text: string): boolean {
  return textsIn(fieldsOf(answer)).includes(text);
}

export function isProviderFailure(answer: Answer): boolean {
  return fieldsOf(answer)?.['error'] === errorTexts.provider;
}

export function describeAnswer(answer: Answer): string {
  return describeReply(answer, dataOf(answer)?.['response'] ?? textsIn(fieldsOf(answer))[0]);
}

/** Returns the texts in an object, `error` first, and in the objects in it. */
function textsIn(fields: Fields | undefined): string[] {
  if (fields === undefined) return [];
  const values = [fields['error'], ...Object.values(fields)];
  const own = values.filter((value) => typeof value === 'string');
  return [
    ...own,
    ...values.filter(isObject).flatMap((inner) => Object.values(inner).filter((each) => typeof each === 'string')),
  ];
}
