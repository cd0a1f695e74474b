import { countOf } from '../../base/format.ts';
import { isAnonymous } from '../../plan/resolve-auth.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { describeType, holds, isAnswered } from '../answer.ts';
import { observeVerdict } from '../model-api/observe-notes.ts';
import { observeFault, type StreamEvent } from '../model-api/stream-event.ts';
import { longQuestion } from '../model-api/whole-rules.ts';
import { newCode, valuesOf, type Needs, type RuleSet } from '../rule-set.ts';
import { bindRules, Skipped, type Observation, type Rule } from '../rule.ts';
import type { PortDescription, PortRule } from './port-description.ts';
import { refusalRules } from './port-refusals.ts';
import { describe, PortTalk, type PortSubject } from './port-talk.ts';

/** Returns the rules of a protocol: those that its port suffices for, and its own. */
export function portRuleSet(description: PortDescription, own: readonly PortRule[]): RuleSet {
  const misread = new Set([...misreadRules, ...description.misread]);
  const rules = [...replyRules(description), ...streamRules(description), ...own, ...refusalRules(description)].map(
    (rule): Rule<PortTalk> => ({ ...rule, standing: misread.has(rule.id) ? 'required' : 'recommended' }),
  );
  return {
    description: description.description,
    rules,
    // Slow enough for the content events to arrive one after another.
    embedded: { stream: { gap: '20ms' }, ...description.embedded },
    begin: (resolved, needs, effects) => {
      const talk = new PortTalk({ ...subjectOf(resolved, needs), isEnd: description.isEnd }, effects);
      return { talk, rules: bindRules(rules, talk) };
    },
  };
}

const misreadRules = [
  'status',
  'upgrade',
  'readable',
  'stream-begins',
  'stream-type',
  'stream-whole',
  'stream-readable',
  'stream-text',
];

function subjectOf({ plan, script, auth }: ResolvedScenario, { words }: Needs): Omit<PortSubject, 'isEnd'> {
  const { protocol } = script;
  const target = { ...plan.target, instructions: script.instructions };
  const streamed = protocol.wholeOnly === true ? undefined : protocol.open({ ...target, stream: true });
  return {
    whole: protocol.open({ ...target, stream: protocol.streamsOnly === true }),
    streamed,
    values: valuesOf(script) ?? '',
    timeoutMs: plan.timeoutMs,
    isOpen: auth.kind === 'none',
    isAnonymous: isAnonymous(plan.target),
    auth: plan.target.auth,
    words,
    newCode,
  };
}

/** Returns the rules of plain messages; over sockets, the streamed reply is the only one. */
function replyRules(description: PortDescription): PortRule[] {
  const { sections, isEnd } = description;
  const isSocket = isEnd !== undefined;
  const success = isSocket ? 101 : 200;
  return [
    {
      id: isSocket ? 'upgrade' : 'status',
      section: sections.reply,
      rule: isSocket
        ? 'The upgrade to WebSocket is answered with status 101.'
        : 'A valid message is answered with status 200.',
      expected: String(success),
      try: async (talk) => {
        const { answer } = await talk.opening();
        // The refusal of one message is not evidence about replies.
        if (answer.status >= 400) await talk.answered();
        return { conforms: answer.status === success, seen: describe(answer) };
      },
    },
    isSocket ? keptSocketRule(sections.conversation) : readableRule(description),
    {
      id: 'memory',
      section: sections.conversation,
      rule: 'A reply takes the earlier messages of the conversation into account.',
      expected: 'a reply with the code of the previous message',
      try: async (talk) => {
        await talk.requireObedience();
        const { code } = await talk.answered();
        const { answer, verdict } = await talk.recalled();
        if (answer.closeCode !== undefined) throw new Skipped('the socket was closed');
        const { text } = verdict.reply ?? {};
        return { conforms: holds(text, code), seen: text === undefined ? describe(answer) : `"${text}"` };
      },
    },
  ];
}

const readableRule = ({ sections, notes }: PortDescription): PortRule => ({
  id: 'readable',
  section: sections.reply,
  rule: 'A reply has the format of the API.',
  expected: 'a reply that chat-load can read',
  try: async (talk) => {
    const { answer, verdict } = await talk.answered();
    if (answer.status !== 200) throw new Skipped('the status is another one');
    return observeVerdict(verdict, notes);
  },
});

const keptSocketRule = (section: string): PortRule => ({
  id: 'socket-kept',
  section,
  rule: 'The socket stays open after a reply.',
  expected: 'two messages over one socket',
  try: async (talk) => {
    const { answer } = await talk.recalled();
    if (!isAnswered(answer)) throw new Skipped(`the second message was not answered: ${describe(answer)}`);
    const conforms = answer.isReopened !== true && answer.closeCode === undefined;
    return { conforms, seen: conforms ? 'open' : 'closed before the second message' };
  },
});

/** Returns a rule on the events of a streamed reply. */
export function eventRule(
  section: string,
  [id, rule, expected]: readonly [id: string, rule: string, expected: string],
  look: (events: readonly StreamEvent[]) => Observation,
): PortRule {
  return { id, section, rule, expected, try: async (talk) => look(await talk.events()) };
}

function streamRules({ sections, isEnd, notes }: PortDescription): PortRule[] {
  const isSocket = isEnd !== undefined;
  const success = isSocket ? 101 : 200;
  const ofStream = (id: string, rule: string, expected: string, look: PortRule['try']): PortRule => ({
    id,
    section: sections.stream,
    rule,
    expected,
    try: (talk) => {
      if (talk.subject.streamed === undefined) throw new Skipped('the protocol does not stream');
      return look(talk);
    },
  });
  return [
    ofStream(
      'stream-begins',
      'A streamed message is answered with events.',
      `${String(success)}, a first event within the timeout`,
      async (talk) => {
        const { answer, events } = await talk.streamed();
        if (answer.failure === 'timed_out' && events.length === 0)
          return { conforms: false, seen: `no event within ${String(talk.subject.timeoutMs)} ms` };
        // Another content type is a separate rule.
        const conforms = answer.status === success && (answer.events === undefined || events.length > 0);
        return { conforms, seen: describe(answer) };
      },
    ),
    // A reply over a socket has neither a content type nor an end besides its events.
    ...(isSocket
      ? []
      : [
          ofStream(
            'stream-type',
            'The Content-Type of a streamed reply is a stream of events.',
            'a stream of events',
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
        ]),
    ofStream(
      'stream-readable',
      'The events have the format of the API.',
      'a reply that chat-load can read',
      async (talk) => {
        await talk.events();
        const { answer, verdict } = await talk.streamed();
        if (answer.failure !== undefined || answer.closeCode !== undefined)
          throw new Skipped('the streamed reply is not complete');
        return observeVerdict(verdict, notes);
      },
    ),
    ofStream('stream-text', 'The events contain the text of the reply.', 'the requested test word', async (talk) => {
      await talk.requireObedience();
      await talk.events();
      const { verdict, tag } = await talk.streamed();
      if (verdict.reply === undefined) throw new Skipped('the streamed reply cannot be read');
      const { text } = verdict.reply;
      return { conforms: holds(text, tag), seen: `"${text}"` };
    }),
    ofStream(
      'leaving',
      'A client that disconnects in the middle of a reply does not break the next message.',
      'a reply to the next message after a client disconnected',
      async (talk) => {
        await talk.events();
        await talk.sayAnew(longQuestion, { isStreamed: true, leavesEarly: true });
        const tag = talk.subject.newCode();
        const { answer, verdict } = await talk.sayAnew(questions.echo(tag));
        if (!isAnswered(answer)) return { conforms: false, seen: describe(answer) };
        const text = verdict.reply?.text ?? '';
        const { verdict: first, tag: firstTag } = await talk.answered();
        return { conforms: !holds(first.reply?.text, firstTag) || holds(text, tag), seen: `"${text}"` };
      },
    ),
    ofStream(
      'stream-unbuffered',
      'Events are sent as they are generated: no proxy buffers them.',
      'events in more than one network read',
      async (talk) => {
        const events = await talk.events();
        if (events.length < 4) throw new Skipped('there were too few events to compare');
        const reads = new Set(events.map(({ read }) => read)).size;
        return { conforms: reads > 1, seen: `${countOf(events.length, 'event')} in ${countOf(reads, 'read')}` };
      },
    ),
  ];
}
