import { questions } from '../protocol/chat-messaging/questions.ts';
import { describeType, fieldsOf, holds, isAnswered, type Fields } from './answer.ts';
import type { Observation, Rule } from './rule.ts';
import { observeFault, type StreamEvent } from './stream-event.ts';
import type { Said, Talk } from './talk.ts';

/** A rule that a conversation tests; its rule set decides on its standing. */
export type TalkRule = Omit<Rule<Talk>, 'standing'>;

/** Creates a rule on all events of a streamed reply, in order. */
export type EventRule = (
  id: string,
  rule: string,
  expected: string,
  look: (events: readonly StreamEvent[]) => Observation,
) => TalkRule;

/** Returns a function that creates rules on the events of a streamed reply, of one section. */
export function eventRules(section: string): EventRule {
  return (id, rule, expected, look) => ({
    id,
    section,
    rule,
    expected,
    try: async (talk) => look(await talk.events()),
  });
}

/** Returns a function that creates rules on the JSON of the first reply, of one section. */
export function bodyRules(section: string) {
  return (id: string, rule: string, expected: string, look: (reply: Fields) => Observation): TalkRule => ({
    id,
    section,
    rule,
    expected,
    try: async (talk) => look(fieldsOf((await talk.answered()).answer) ?? {}),
  });
}

/** Returns the rule on the status of the first reply. */
export function statusRule(section: string): TalkRule {
  return {
    id: 'status',
    section,
    rule: 'A valid message is answered with status 200.',
    expected: '200',
    try: (talk) => observeStatus(talk, 200),
  };
}

/** Observes the status of the first reply. */
export async function observeStatus(talk: Talk, success: number): Promise<Observation> {
  const { answer } = await talk.opening();
  // The refusal of one message is not evidence about replies.
  if (answer.status >= 400) await talk.answered();
  return { conforms: answer.status === success, seen: talk.describe(answer) };
}

/** Creates a rule on streamed replies. */
export type StreamRule = (id: string, rule: string, expected: string, look: TalkRule['try']) => TalkRule;

/** Returns the rules that a streamed message is answered with events, over HTTP by default. */
export function beginsRule(ofStream: StreamRule, success = 200): TalkRule {
  return ofStream(
    'stream-begins',
    'A streamed message is answered with events.',
    `${String(success)}, a first event within the timeout`,
    async (talk) => {
      const { answer, events } = await talk.streamed();
      if (answer.failure === 'timed_out' && events.length === 0)
        return { conforms: false, seen: `no event within ${String(talk.subject.timeoutMs)} ms` };
      // Another content type is a separate rule.
      const conforms = answer.status === success && (answer.events === undefined || events.length > 0);
      return { conforms, seen: talk.describe(answer) };
    },
  );
}

/** Returns the rules on the content type and the end of a streamed response. */
export function responseRules(ofStream: StreamRule, contentType: string): TalkRule[] {
  return [
    ofStream(
      'stream-type',
      'The Content-Type of a streamed reply is a stream of events.',
      contentType,
      async (talk) => {
        const { answer } = await talk.streamedAnswer();
        return { conforms: answer.events !== undefined, seen: describeType(answer.contentType) };
      },
    ),
    ofStream('stream-whole', 'A streamed reply is sent completely.', 'a complete response', async (talk) => {
      await talk.events();
      const { failure, detail } = (await talk.streamed()).answer;
      return observeFault(failure && detail, 'complete');
    }),
  ];
}

/** A question whose answer is longer than any limit here. */
export const longQuestion =
  'Please count from one to one hundred in words, one number after the other, without leaving any out, and write nothing else at all.';

/** Returns the rule on the message after a client that left. `textOf`: the text of a reply, as far as it can be read. */
export function leavingRule(ofStream: StreamRule, textOf: (said: Said) => string | undefined): TalkRule {
  return ofStream(
    'leaving',
    'A client that disconnects in the middle of a reply does not break the next message.',
    'a reply to the next message after a client disconnected',
    async (talk) => {
      await talk.events();
      await talk.sayAnew(longQuestion, { isStreamed: true, leavesEarly: true });
      const tag = talk.subject.newCode();
      const said = await talk.sayAnew(questions.echo(tag));
      if (!isAnswered(said.answer)) return { conforms: false, seen: talk.describe(said.answer) };
      const text = textOf(said) ?? '';
      const opening = await talk.answered();
      return { conforms: !holds(opening.verdict.reply?.text, opening.tag) || holds(text, tag), seen: `"${text}"` };
    },
  );
}
