import {
  describeType,
  fieldsOf,
  isText,
  isTimeOf,
  observeDistinct,
  observeJson,
  show,
  type Fields,
} from '../answer.ts';
import type { Answer } from '../exchanges.ts';
import { type Observation, Skipped } from '../rule.ts';
import {
  describeAnswer,
  firstSession,
  repliesOf,
  requireAnswer,
  type MessagingRule,
  type SeenReply,
} from './messages.ts';

/** Rules of created sessions and of replies to messages. */
export const replyRules: readonly MessagingRule[] = [
  {
    id: 'creation',
    section: '4.1',
    rule: 'Creating a session returns a session id.',
    expected: 'a success status and a session id',
    try: async (talk) => {
      const { conversation, created } = await talk.first();
      if (created === undefined) throw new Skipped('no session is created');
      return conversation === undefined
        ? { conforms: false, seen: describeAnswer(created.answer) }
        : { conforms: true, seen: `${String(created.answer.status)}, id "${conversation.sessionId}"` };
    },
  },
  {
    id: 'message-status',
    section: '4.1',
    rule: 'A valid message to a session that exists is answered with status 200.',
    expected: '200',
    try: async (talk) => {
      const { answer } = await talk.opening();
      return { conforms: answer.status === 200, seen: describeAnswer(answer) };
    },
  },
  {
    id: 'reply-json',
    section: '2.4',
    rule: 'The body of a reply is a JSON object.',
    expected: 'a JSON object',
    try: ofFirstBody((answer) => observeJson(answer, describeAnswer(answer))),
  },
  {
    id: 'content-type',
    section: '1',
    rule: 'The Content-Type of the reply is JSON.',
    expected: 'Content-Type: application/json',
    standing: 'recommended',
    try: ofFirstBody(({ contentType }) => ({
      conforms: /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType),
      seen: describeType(contentType),
    })),
  },
  {
    id: 'success',
    section: '2.4',
    rule: 'success is true in a reply.',
    expected: 'success: true',
    try: ofFirstBody((answer) => {
      const { success } = requireObject(answer);
      return { conforms: success === true, seen: `success: ${show(success)}` };
    }),
  },
  {
    id: 'data',
    section: '2.4',
    rule: 'data of a reply is the message result, an object.',
    expected: 'data: an object',
    try: ofFirstBody((answer) => {
      const data = show(requireObject(answer)['data']);
      return { conforms: data === 'an object', seen: `data: ${data}` };
    }),
  },
  ofField('response', 'The agent’s reply is the text in response.', 'a string', isString),
  ofField('chatId', 'chatId identifies the exchange.', 'a string that is not empty', isText),
  {
    id: 'chatId-distinct',
    section: '2.2',
    rule: 'chatId identifies a single exchange: two exchanges have two.',
    expected: 'a different chatId for every exchange',
    try: async (talk) => {
      const [first, second] = (await repliesOf(talk)).map(({ data }) => data['chatId']);
      if (!isString(first) || !isString(second) || `${first}${second}` === '')
        throw new Skipped('there were no two chatIds to compare');
      return observeDistinct(first, second);
    },
  },
  {
    id: 'sessionId',
    section: '2.2',
    rule: 'sessionId is echoed back from the request.',
    expected: 'the session id that was sent',
    try: async (talk) => {
      const { sessionId } = await firstSession(talk);
      return ofReplies(await repliesOf(talk), ({ data }) => ({
        conforms: data['sessionId'] === sessionId,
        seen: show(data['sessionId']),
      }));
    },
  },
  ofField('isSession', 'isSession is always true.', 'true', (value) => value === true),
  ofTimestamp('createdAt'),
  ofTimestamp('updatedAt'),
  {
    id: 'timestamps-order',
    section: '2.2',
    rule: 'An exchange is not updated before it was created.',
    expected: 'createdAt not after updatedAt',
    standing: 'recommended',
    try: async (talk) => ofReplies(await repliesOf(talk), inOrder),
  },
  {
    id: 'additive',
    section: '2.2, 9',
    rule: 'The result also contains the conversation and the cost, in fields that the description does not name; clients ignore them.',
    expected: 'more fields in data (ignored)',
    // Clients cannot depend on a field without a documented name.
    standing: 'recommended',
    try: async (talk) =>
      ofReplies(await repliesOf(talk), ({ data }) => {
        const further = Object.keys(data).filter((name) => !documented.includes(name));
        const conforms = further.length > 0;
        return { conforms, seen: conforms ? `also ${further.join(', ')}` : 'no other field' };
      }),
  },
];

const documented = ['response', 'chatId', 'sessionId', 'isSession', 'createdAt', 'updatedAt'];

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Examines the first reply, even if it is incomplete. */
function ofFirstBody(look: (answer: Answer) => Observation): MessagingRule['try'] {
  return async (talk) => {
    await requireAnswer(talk);
    return look((await talk.opening()).answer);
  };
}

function requireObject(answer: Answer): Fields {
  const fields = fieldsOf(answer);
  if (fields === undefined) throw new Skipped('the body is not a JSON object');
  return fields;
}

function ofField(name: string, rule: string, expected: string, conforms: (value: unknown) => boolean): MessagingRule {
  const look = ({ data }: SeenReply): Observation => ({ conforms: conforms(data[name]), seen: show(data[name]) });
  return { id: name, section: '2.2', rule, expected, try: async (talk) => ofReplies(await repliesOf(talk), look) };
}

/** Returns the first observation that does not conform; if all conform, the first one. */
function ofReplies(replies: readonly SeenReply[], look: (reply: SeenReply) => Observation): Observation {
  const seen = replies.map(look);
  return seen.find(({ conforms }) => !conforms) ?? seen[0] ?? { conforms: false, seen: 'no reply' };
}

function ofTimestamp(name: 'createdAt' | 'updatedAt'): MessagingRule {
  const look = ({ data, answer }: SeenReply): Observation => {
    const at = readTimestamp(data[name]);
    const conforms = at !== undefined && (at.ms === undefined || isTimeOf(answer, at.ms));
    return { conforms, seen: show(data[name]) };
  };
  return {
    id: name,
    section: '2.2',
    rule: `${name} is an ISO 8601 timestamp of the exchange.`,
    expected: 'ISO 8601, within 5 minutes of the exchange',
    try: async (talk) => ofReplies(await repliesOf(talk), look),
  };
}

function inOrder({ data }: SeenReply): Observation {
  const [created, updated] = [readTimestamp(data['createdAt']), readTimestamp(data['updatedAt'])];
  if (created?.ms === undefined || updated?.ms === undefined)
    throw new Skipped('there were no two timestamps to compare');
  return { conforms: created.ms <= updated.ms, seen: `${show(data['createdAt'])}, ${show(data['updatedAt'])}` };
}

interface Timestamp {
  /** Since 1970; `undefined` for a local time, which is not an instant. */
  ms: number | undefined;
}

const dateTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)$/;

/** Reads an ISO 8601 date and time in the extended format; returns `undefined` if it is not one. */
export function readTimestamp(value: unknown): Timestamp | undefined {
  if (typeof value !== 'string') return undefined;
  const found = dateTime.exec(value);
  if (found === null) return undefined;
  const zone = found[1];
  // Date.parse accepts neither a decimal comma nor a zone without minutes.
  const read = Date.parse(
    value
      .replace(',', '.')
      .replace(/([+-]\d\d)(?::?(\d\d))?$/, (whole, hours: string, minutes?: string) =>
        zone === undefined || zone === 'Z' ? whole : `${hours}:${minutes ?? '00'}`,
      ),
  );
  if (Number.isNaN(read)) return undefined;
  return { ms: zone === undefined ? undefined : read };
}
