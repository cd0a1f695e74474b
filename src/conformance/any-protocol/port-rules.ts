import { countOf } from '../../base/format.ts';
import { holds, isAnswered } from '../answer.ts';
import { observeVerdict } from '../model-api/observe-notes.ts';
import type { RuleSet } from '../rule-set.ts';
import { bindRules, Skipped, type Rule } from '../rule.ts';
import { subjectOf } from '../subject.ts';
import { Talk, type Wire } from '../talk.ts';
import {
  beginsRule,
  leavingRule,
  observeStatus,
  responseRules,
  statusRule,
  type StreamRule,
  type TalkRule,
} from '../talk-rules.ts';
import { describe } from './describe-answer.ts';
import type { PortDescription } from './port-description.ts';
import { refusalRules } from './port-refusals.ts';

/** Returns the rules of a protocol: those that its port suffices for, and its own. */
export function portRuleSet(description: PortDescription, own: readonly TalkRule[]): RuleSet {
  const misread = new Set([...misreadRules, ...description.misread]);
  const rules = [...replyRules(description), ...streamRules(description), ...own, ...refusalRules(description)].map(
    (rule): Rule<Talk> => ({ ...rule, standing: misread.has(rule.id) ? 'required' : 'recommended' }),
  );
  return {
    description: description.description,
    rules,
    // Slow enough for the content events to arrive one after another.
    embedded: { stream: { gap: '20ms' }, ...description.embedded },
    begin: (resolved, needs, effects) => {
      const talk = new Talk(subjectOf(resolved, needs), effects, wireOf(description));
      return { talk, rules: bindRules(rules, talk) };
    },
  };
}

const wireOf = ({ isEnd }: PortDescription): Wire => ({
  describe,
  nouns: { partner: 'agent', session: 'conversation' },
  isEnd,
});

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

/** Returns the rules of plain messages; over sockets, the streamed reply is the only one. */
function replyRules(description: PortDescription): TalkRule[] {
  const { sections, isEnd } = description;
  const isSocket = isEnd !== undefined;
  return [
    isSocket ? upgradeRule(sections.reply) : statusRule(sections.reply),
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

const readableRule = ({ sections, notes }: PortDescription): TalkRule => ({
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

const upgradeRule = (section: string): TalkRule => ({
  id: 'upgrade',
  section,
  rule: 'The upgrade to WebSocket is answered with status 101.',
  expected: '101',
  try: (talk) => observeStatus(talk, 101),
});

const keptSocketRule = (section: string): TalkRule => ({
  id: 'socket-kept',
  section,
  rule: 'The socket stays open after a reply.',
  expected: 'two messages over one socket',
  try: async (talk) => {
    await talk.answered();
    const { answer } = await talk.recalled();
    if (!isAnswered(answer)) throw new Skipped(`the second message was not answered: ${describe(answer)}`);
    const conforms = answer.isReopened !== true && answer.closeCode === undefined;
    return { conforms, seen: conforms ? 'open' : 'closed before the second message' };
  },
});

function streamRules({ sections, isEnd, notes }: PortDescription): TalkRule[] {
  const isSocket = isEnd !== undefined;
  const ofStream: StreamRule = (id, rule, expected, look) => ({
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
    beginsRule(ofStream, isSocket ? 101 : 200),
    // A reply over a socket has neither a content type nor an end besides its events.
    ...(isSocket ? [] : responseRules(ofStream, 'a stream of events')),
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
    leavingRule(ofStream, ({ verdict }) => verdict.reply?.text),
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
