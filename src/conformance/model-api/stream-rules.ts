import { fieldsOf, holds, isAnswered, show } from '../answer.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { type Seen, Skipped } from '../rule.ts';
import { describe, type ApiTalk, type Streamed, type ApiRule } from './api-talk.ts';
import type { Dialect } from './dialect.ts';
import { limitedReply, longQuestion, judgeUsage, judgeFinish, oneOf, wordType, wordUsage } from './whole-rules.ts';
import { isDone, readEvent, type StreamEvent } from './stream-event.ts';
import { nameOf, streamRule } from './stream-rule.ts';

/** What a reply in pieces must look like. */
export function streamRules(dialect: Dialect): ApiRule[] {
  const { sections, finish, stream } = dialect;
  const ofStream = (
    given: Pick<ApiRule, 'id' | 'rule' | 'expected'>,
    look: (talk: ApiTalk) => Promise<Seen>,
  ): ApiRule => ({ ...given, section: sections.stream, try: look });
  return [
    ofStream(
      { id: 'stream-begins', rule: 'A streamed message is answered with events.', expected: '200, events in time' },
      async (talk) => judgeBeginning(await talk.streamed(), talk),
    ),
    ofStream(
      {
        id: 'stream-type',
        rule: 'A streamed reply says that it is a stream of events.',
        expected: 'text/event-stream',
      },
      async (talk) => {
        const { answer } = await talk.streamedAnswer();
        return { isKept: answer.events !== undefined, seen: wordType(answer.contentType) };
      },
    ),
    ofStream(
      { id: 'stream-whole', rule: 'A streamed reply is sent to its end.', expected: 'the end of the response' },
      async (talk) => {
        await talk.events();
        const { failure, detail } = (await talk.streamed()).answer;
        return { isKept: failure === undefined, seen: failure === undefined ? 'its end' : detail };
      },
    ),
    streamRule(
      sections.stream,
      { id: 'stream-json', rule: 'The data of every event is a JSON object.', expected: 'JSON objects' },
      (events) => {
        const other = events.find((event) => event.fields === undefined && !isDone(event));
        return { isKept: other === undefined, seen: other === undefined ? wordCount(events) : `"${other.data}"` };
      },
    ),
    ...(stream.isTyped ? [typedRule(dialect)] : []),
    ofStream(
      { id: 'stream-text', rule: 'The pieces of a reply are its text.', expected: 'the tag that was asked for' },
      async (talk) => {
        await talk.requireObedience();
        const text = (await talk.events()).map((event) => stream.textOf(event)).join('');
        return { isKept: holds(text, (await talk.streamed()).tag), seen: show(text) };
      },
    ),
    streamRule(
      sections.stream,
      { id: 'stream-finish', rule: 'A streamed reply says why it ended.', expected: oneOf(finish.known) },
      (events) => judgeFinish(dialect, stream.finishOf(events)),
    ),
    streamRule(
      sections.stream,
      { id: 'stream-usage', rule: `${stream.usageTeller} tells the tokens.`, expected: wordUsage(dialect) },
      (events) => judgeUsage(dialect, stream.usageOf(events)),
    ),
    ofStream(
      {
        id: 'stream-limit',
        rule: 'A streamed reply that its limit of tokens cuts off says so.',
        expected: `${finish.member}: "${finish.cutOff}"`,
      },
      async (talk) => {
        await talk.events();
        const message = talk.message(longQuestion, { isStreamed: true });
        const answer = await limitedReply(talk, dialect, message, true);
        if (!isAnswered(answer)) return { isKept: false, seen: describe(answer) };
        const seen = stream.finishOf((answer.events ?? []).map(readEvent));
        return { isKept: seen === finish.cutOff, seen: `${finish.member}: ${show(seen)}` };
      },
    ),
    ofStream(
      {
        id: 'leaving',
        rule: 'A client that leaves in the middle of a reply does not break the next message.',
        expected: 'an answer to the next message',
      },
      async (talk) => {
        await talk.events();
        const message = talk.message(longQuestion, { isStreamed: true });
        await talk.send(message, { isStreamed: true, leavesEarly: true });
        const tag = talk.subject.newCode();
        const answer = await talk.send(talk.message(questions.echo(tag)));
        const judged = dialect.judge(fieldsOf(answer) ?? {});
        const text = 'reply' in judged ? judged.reply.text : '';
        const isSaid = !(await talk.opening()).obeys || holds(text, tag);
        return { isKept: isAnswered(answer) && isSaid, seen: isAnswered(answer) ? `"${text}"` : describe(answer) };
      },
    ),
    streamRule(
      sections.stream,
      {
        id: 'stream-unbuffered',
        rule: 'Events are sent as they are made: nothing on the way gathers them.',
        expected: 'the pieces in more than one read',
      },
      (events) => {
        const pieces = events.filter((event) => stream.textOf(event) !== '');
        if (pieces.length < 2) throw new Skipped('there were no two pieces to compare');
        const reads = new Set(pieces.map(({ read }) => read)).size;
        return { isKept: reads > 1, seen: `${String(pieces.length)} pieces in ${String(reads)} reads` };
      },
    ),
  ];
}

function judgeBeginning({ answer, events }: Streamed, { subject }: ApiTalk): Seen {
  if (answer.failure === 'timed_out' && events.length === 0)
    return { isKept: false, seen: `no event within ${String(subject.timeoutMs)} ms` };
  // Another content type is a rule of its own.
  const isKept = answer.status === 200 && (answer.events === undefined || events.length > 0);
  return { isKept, seen: describe(answer) };
}

function typedRule({ sections }: Dialect): ApiRule {
  return streamRule(
    sections.stream,
    { id: 'stream-names', rule: 'The name of every event is the type in its data.', expected: 'event: its type' },
    (events) => {
      const other = events.find(({ type, fields }) => fields !== undefined && fields['type'] !== type);
      const seen = other && `event: ${other.type} with type ${show(other.fields?.['type'])}`;
      return { isKept: other === undefined, seen: seen ?? `as in ${nameOf(events[0])}` };
    },
  );
}

const wordCount = (events: readonly StreamEvent[]): string => `${String(events.length)} events`;
