import { countOf } from '../../base/format.ts';
import { isObject } from '../../base/is-object.ts';
import { holds, isAnswered, show } from '../answer.ts';
import { Skipped } from '../rule.ts';
import { beginsRule, eventRules, leavingRule, responseRules, type StreamRule, type TalkRule } from '../talk-rules.ts';
import type { Dialect } from './dialect.ts';
import { describe, textOf } from './judge-answer.ts';
import { limitedReply, observeUsage, observeFinish, oneOf, usageMembers } from './whole-rules.ts';
import { isDone, nameOf, observeFault, type StreamEvent } from '../stream-event.ts';

/** Returns the rules of streamed replies. */
export function streamRules(dialect: Dialect): TalkRule[] {
  const { sections, finish, stream } = dialect;
  const ofEvents = eventRules(sections.stream);
  const ofStream: StreamRule = (id, rule, expected, look) => ({
    id,
    section: sections.stream,
    rule,
    expected,
    try: look,
  });
  return [
    beginsRule(ofStream),
    ...responseRules(ofStream, 'text/event-stream'),
    ofEvents(
      'stream-json',
      'The data of every event is a JSON object, and an empty line ends it.',
      'JSON objects',
      (events) => {
        if (events.some(({ isUnseparated }) => isUnseparated)) return observeFault('no empty line between events');
        const other = events.find((event) => event.fields === undefined && !isDone(event));
        return observeFault(other && `"${other.data}"`, `${String(events.length)} events`);
      },
    ),
    ...(stream.isTyped
      ? [
          ofEvents(
            'stream-names',
            'The name of every event is the type in its data.',
            'event field equal to type',
            (events) => {
              const other = events.find(({ type, fields }) => fields !== undefined && fields['type'] !== type);
              const fault = other && `event: ${other.type} with type ${show(other.fields?.['type'])}`;
              return observeFault(fault, `equal, such as ${nameOf(events[0])}`);
            },
          ),
        ]
      : []),
    ofStream(
      'stream-text',
      'The content events contain the text of the reply.',
      'the requested test word',
      async (talk) => {
        await talk.requireObedience();
        const text = (await talk.events()).map((event) => stream.textOf(event)).join('');
        return { conforms: holds(text, (await talk.streamed()).tag), seen: show(text) };
      },
    ),
    ofEvents('stream-finish', 'A streamed reply states why it ended.', oneOf(finish.known), (events) => {
      const fault = errorIn(events);
      return fault === undefined ? observeFinish(dialect, stream.finishOf(events)) : { conforms: false, seen: fault };
    }),
    ofEvents('stream-usage', `${stream.usageSource} reports the tokens.`, usageMembers(dialect), (events) =>
      observeUsage(dialect, stream.usageOf(events)),
    ),
    ofStream(
      'stream-limit',
      'A streamed reply that is cut off by its token limit reports that.',
      `${finish.member}: "${finish.cutOff}" at the token limit`,
      async (talk) => {
        await talk.events();
        const { answer, events } = await limitedReply(talk, dialect, true);
        if (!isAnswered(answer)) return { conforms: false, seen: describe(answer) };
        const fault = errorIn(events);
        if (fault !== undefined) return { conforms: false, seen: fault };
        const seen = stream.finishOf(events);
        return { conforms: seen === finish.cutOff, seen: `${finish.member}: ${show(seen)}` };
      },
    ),
    leavingRule(ofStream, ({ answer }) => textOf(dialect, answer)),
    ofEvents(
      'stream-unbuffered',
      'Events are sent as they are generated: no proxy buffers them.',
      'content in more than one network read',
      (events) => {
        const contents = events.filter((event) => stream.textOf(event) !== '');
        if (contents.length < 2) throw new Skipped('there were no two content events to compare');
        const reads = new Set(contents.map(({ read }) => read)).size;
        return {
          conforms: reads > 1,
          seen: `${countOf(contents.length, 'content event')} in ${countOf(reads, 'read')}`,
        };
      },
    ),
  ];
}

/** Describes the event of an error, if there is one. */
function errorIn(events: readonly StreamEvent[]): string | undefined {
  const event = events.find(({ kind, fields }) => kind === 'error' || isObject(fields?.['error']));
  const error = isObject(event?.fields?.['error']) ? event.fields['error'] : event?.fields;
  return event && `an error event: ${show(error?.['type'] ?? error?.['code'])}`;
}
