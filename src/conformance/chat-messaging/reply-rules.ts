import { fieldsOf, show } from '../answer.ts';
import type { Answer } from '../post.ts';
import { type Rule, type Seen, Skipped } from '../rule.ts';
import { describeAnswer } from './message-answer.ts';
import type { SeenReply, Talk } from './talk.ts';

/** What a created session and the replies to messages must look like. */
export const replyRules: readonly Rule<Talk>[] = [
  {
    id: 'creation',
    section: '4.1',
    rule: 'Creating a session gives a session id.',
    expected: 'a success status and a session id',
    standing: 'required',
    try: async (talk) => {
      const { answer, sessionId } = await talk.creation();
      return sessionId === undefined
        ? { isKept: false, seen: describeAnswer(answer) }
        : { isKept: true, seen: `${String(answer.status)}, id "${sessionId}"` };
    },
  },
  {
    id: 'message-status',
    section: '4.1',
    rule: 'A valid message to a session that exists is answered with status 200.',
    expected: '200',
    standing: 'required',
    try: async (talk) => {
      const { answer } = await talk.opening();
      return { isKept: answer.status === 200, seen: describeAnswer(answer) };
    },
  },
  {
    id: 'reply-json',
    section: '2.4',
    rule: 'The body of a reply is a JSON object.',
    expected: 'a JSON object',
    standing: 'required',
    try: ofFirstBody((answer) => {
      const isObject = fieldsOf(answer) !== undefined;
      return { isKept: isObject, seen: isObject ? 'a JSON object' : describeAnswer(answer) };
    }),
  },
  {
    id: 'content-type',
    section: '1',
    rule: 'The reply says that it is JSON.',
    expected: 'Content-Type: application/json',
    standing: 'recommended',
    try: ofFirstBody(({ contentType }) => ({
      isKept: /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType),
      seen: contentType === '' ? 'no Content-Type' : contentType,
    })),
  },
  {
    id: 'success',
    section: '2.4',
    rule: 'success is true in a reply.',
    expected: 'success: true',
    standing: 'required',
    try: ofFirstBody((answer) => {
      const fields = fieldsOf(answer);
      if (fields === undefined) throw new Skipped('the body is not a JSON object');
      return { isKept: fields['success'] === true, seen: `success: ${show(fields['success'])}` };
    }),
  },
  {
    id: 'data',
    section: '2.4',
    rule: 'data of a reply is the message result, an object.',
    expected: 'data: an object',
    standing: 'required',
    try: ofFirstBody((answer) => {
      const fields = fieldsOf(answer);
      if (fields === undefined) throw new Skipped('the body is not a JSON object');
      const data = show(fields['data']);
      return { isKept: data === 'an object', seen: `data: ${data}` };
    }),
  },
  ofField('response', 'The agent’s reply is the text in response.', 'a string', isText),
  ofField(
    'chatId',
    'chatId identifies the exchange.',
    'a string that is not empty',
    (value) => isText(value) && value !== '',
  ),
  {
    id: 'chatId-distinct',
    section: '2.2',
    rule: 'chatId identifies a single exchange: two exchanges have two.',
    expected: 'another chatId for every exchange',
    standing: 'required',
    try: async (talk) => {
      const [first, second] = (await talk.replies()).map(({ data }) => data['chatId']);
      if (!isText(first) || !isText(second) || `${first}${second}` === '')
        throw new Skipped('there were no two chatIds to compare');
      return { isKept: first !== second, seen: first === second ? `twice ${show(first)}` : 'two that differ' };
    },
  },
  {
    id: 'sessionId',
    section: '2.2',
    rule: 'sessionId is echoed back from the request.',
    expected: 'the session id that was sent',
    standing: 'required',
    try: async (talk) => {
      const sessionId = await talk.sessionId();
      return ofReplies(await talk.replies(), ({ data }) => ({
        isKept: data['sessionId'] === sessionId,
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
    try: async (talk) => ofReplies(await talk.replies(), inOrder),
  },
  {
    id: 'additive',
    section: '2.2, 9',
    rule: 'The result also carries the conversation and the cost, in fields that the description does not name; clients ignore them.',
    expected: 'further fields in data',
    // Without a name there is nothing that a client could miss.
    standing: 'recommended',
    try: async (talk) =>
      ofReplies(await talk.replies(), ({ data }) => {
        const further = Object.keys(data).filter((name) => !documented.includes(name));
        return {
          isKept: further.length > 0,
          seen: further.length > 0 ? `also ${further.join(', ')}` : 'no further field',
        };
      }),
  },
];

const documented = ['response', 'chatId', 'sessionId', 'isSession', 'createdAt', 'updatedAt'];

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Looks at the first reply, however much of it is there. */
function ofFirstBody(look: (answer: Answer) => Seen): Rule<Talk>['try'] {
  return async (talk: Talk) => {
    await talk.requireAnswer();
    return look((await talk.opening()).answer);
  };
}

function ofField(name: string, rule: string, expected: string, keeps: (value: unknown) => boolean): Rule<Talk> {
  const look = ({ data }: SeenReply): Seen => ({ isKept: keeps(data[name]), seen: show(data[name]) });
  return {
    id: name,
    section: '2.2',
    rule,
    expected,
    standing: 'required',
    try: async (talk) => ofReplies(await talk.replies(), look),
  };
}

/** The first reply that breaks the rule, else the first of all. */
function ofReplies(replies: readonly SeenReply[], look: (reply: SeenReply) => Seen): Seen {
  const seen = replies.map(look);
  return seen.find(({ isKept }) => !isKept) ?? seen[0] ?? { isKept: false, seen: 'no reply' };
}

/** Clocks of other machines may differ by so much. */
const toleranceMs = 5 * 60_000;

function ofTimestamp(name: 'createdAt' | 'updatedAt'): Rule<Talk> {
  const look = ({ data, answer }: SeenReply): Seen => {
    const at = readTimestamp(data[name]);
    const isOfExchange =
      at !== undefined &&
      (at.ms === undefined || (at.ms >= answer.sentAtMs - toleranceMs && at.ms <= answer.endedAtMs + toleranceMs));
    return { isKept: isOfExchange, seen: show(data[name]) };
  };
  return {
    id: name,
    section: '2.2',
    rule: `${name} is an ISO 8601 timestamp of the exchange.`,
    expected: 'ISO 8601, within 5 minutes of the exchange',
    standing: 'required',
    try: async (talk) => ofReplies(await talk.replies(), look),
  };
}

function inOrder({ data }: SeenReply): Seen {
  const [created, updated] = [readTimestamp(data['createdAt']), readTimestamp(data['updatedAt'])];
  if (created?.ms === undefined || updated?.ms === undefined)
    throw new Skipped('there were no two timestamps to compare');
  return { isKept: created.ms <= updated.ms, seen: `${show(data['createdAt'])}, ${show(data['updatedAt'])}` };
}

interface Timestamp {
  /** Since 1970; `undefined` for a local time, which is not an instant. */
  ms: number | undefined;
}

const dateTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(Z|[+-]\d\d(?::?\d\d)?)?)$/;

/** Reads an ISO 8601 date and time in the extended format; `undefined` when it is not one. */
export function readTimestamp(value: unknown): Timestamp | undefined {
  if (typeof value !== 'string') return undefined;
  const found = dateTime.exec(value);
  if (found === null) return undefined;
  const zone = found[1];
  // Date.parse takes neither a decimal comma nor a zone without minutes.
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
