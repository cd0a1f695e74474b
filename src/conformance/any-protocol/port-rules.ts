import { countOf } from '../../base/format.ts';
import { isAnonymous } from '../../plan/resolve-auth.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { describeType, fieldsOf, holds, isAnswered } from '../answer.ts';
import type { KeyUsed } from '../exchanges.ts';
import { observeFault, type StreamEvent } from '../model-api/stream-event.ts';
import { longQuestion } from '../model-api/whole-rules.ts';
import { newCode, valuesOf, type Needs, type RuleSet } from '../rule-set.ts';
import { bindRules, requireKey, Skipped, type Observation, type Rule } from '../rule.ts';
import type { AttemptClass } from '../../protocol/outcome.ts';
import { describe, PortTalk, type PortSubject, type Said } from './port-talk.ts';

/** A rule of a protocol; the required rules are listed in its description. */
export type PortRule = Omit<Rule<PortTalk>, 'standing'>;

/** Properties of a protocol that the shared rules depend on. */
export interface PortDescription {
  /** Name of the description of the API. */
  readonly description: string;
  /** Sections of the description, by kind of rule. */
  readonly sections: Readonly<Record<'reply' | 'stream' | 'errors' | 'conversation', string>>;
  /** Members without which a message is refused. */
  readonly required: readonly string[];
  /** Ids of own rules without which a run cannot read replies, or misreads them. */
  readonly misread: readonly string[];
  /** Describes the fault in the body of an error, if any; omitted if errors have no format. */
  readonly errorFault?: (body: Readonly<Record<string, unknown>>) => string | undefined;
  /** Settings of the embedded service with which every rule can be tested. */
  readonly embedded?: RuleSet['embedded'];
}

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
      const talk = new PortTalk(subjectOf(resolved, needs), effects);
      return { talk, rules: bindRules(rules, talk) };
    },
  };
}

const misreadRules = [
  'status',
  'readable',
  'stream-begins',
  'stream-type',
  'stream-whole',
  'stream-readable',
  'stream-text',
];

function subjectOf({ plan, script, auth }: ResolvedScenario, { words }: Needs): PortSubject {
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
    words,
    newCode,
  };
}

function replyRules({ sections }: PortDescription): PortRule[] {
  return [
    {
      id: 'status',
      section: sections.reply,
      rule: 'A valid message is answered with status 200.',
      expected: '200',
      try: async (talk) => {
        const { answer } = await talk.opening();
        // The refusal of one message is not evidence about replies.
        if (answer.status >= 400) await talk.answered();
        return { conforms: answer.status === 200, seen: describe(answer) };
      },
    },
    {
      id: 'readable',
      section: sections.reply,
      rule: 'A reply has the format of the API.',
      expected: 'a reply that chat-load can read',
      try: async (talk) => {
        const { answer, verdict } = await talk.answered();
        if (answer.status !== 200) throw new Skipped('the status is another one');
        return { conforms: verdict.outcome === 'ok', seen: verdict.outcome === 'ok' ? 'readable' : verdict.detail };
      },
    },
    {
      id: 'memory',
      section: sections.conversation,
      rule: 'A reply takes the earlier messages of the conversation into account.',
      expected: 'a reply with the code of the previous message',
      try: async (talk) => {
        await talk.requireObedience();
        const { code } = await talk.answered();
        const { answer, verdict } = await talk.recall();
        const { text } = verdict.reply ?? {};
        return { conforms: holds(text, code), seen: text === undefined ? describe(answer) : `"${text}"` };
      },
    },
  ];
}

/** Returns a rule on the events of a streamed reply. */
export function eventRule(
  section: string,
  [id, rule, expected]: readonly [id: string, rule: string, expected: string],
  look: (events: readonly StreamEvent[]) => Observation,
): PortRule {
  return { id, section, rule, expected, try: async (talk) => look(await talk.events()) };
}

function streamRules({ sections }: PortDescription): PortRule[] {
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
      '200, a first event within the timeout',
      async (talk) => {
        const { answer, events } = await talk.streamed();
        if (answer.failure === 'timed_out' && events.length === 0)
          return { conforms: false, seen: `no event within ${String(talk.subject.timeoutMs)} ms` };
        // Another content type is a separate rule.
        const conforms = answer.status === 200 && (answer.events === undefined || events.length > 0);
        return { conforms, seen: describe(answer) };
      },
    ),
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
    ofStream(
      'stream-readable',
      'The events have the format of the API.',
      'a reply that chat-load can read',
      async (talk) => {
        await talk.events();
        const { answer, verdict } = await talk.streamed();
        if (answer.failure !== undefined) throw new Skipped('the streamed reply is not complete');
        return observeFault(verdict.outcome === 'ok' ? undefined : verdict.detail, 'readable');
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

function refusalRules({ sections, required, errorFault }: PortDescription): PortRule[] {
  const { errors: section } = sections;
  const ofKey = (id: string, key: KeyUsed, rule: string): PortRule => ({
    id,
    section,
    rule,
    expected: '401 or 403',
    try: async (talk) => {
      requireKey(talk.subject);
      return observe(await talk.sayAnew('Hello.', { key }), [401, 403], ['unauthorized', 'forbidden']);
    },
  });
  const changed = (id: string, rule: string, change: (body: string) => string): PortRule => ({
    id,
    section,
    rule,
    expected: '400, 422 or an error of the API',
    try: async (talk) => observe(await talk.sayAnew('Hello.', { change }), [400, 422], ['bad_request']),
  });
  const without = (member: string) => (body: string) =>
    JSON.stringify({ ...(JSON.parse(body) as object), [member]: undefined });
  return [
    ofKey('key-wrong', 'wrong', 'A wrong API key is refused.'),
    ofKey('key-missing', 'none', 'A request without an API key is refused.'),
    changed('not-json', 'A body that is not JSON is refused.', () => '{"chat":'),
    ...required.map((member) =>
      changed(`${member}-missing`, `A message without ${member} is refused.`, without(member)),
    ),
    ...(errorFault === undefined ? [] : [refusalBody(section, errorFault)]),
  ];
}

/** Returns the rule that examines every earlier refusal: it is tested last. */
function refusalBody(section: string, errorFault: NonNullable<PortDescription['errorFault']>): PortRule {
  return {
    id: 'refusal-body',
    section,
    rule: 'A refusal describes the problem, in the format of the API.',
    expected: 'a readable error in every refusal',
    // Examines every earlier refusal: it is tested last.
    try: async (talk) => {
      await talk.answered();
      if (talk.answers.every(isAnswered)) await talk.sayAnew('Hello.', { change: () => '{"chat":' });
      // Responses of a gateway, 429 and 5xx, need not follow the description.
      const refusals = talk.answers.filter(({ status }) => status >= 400 && status <= 499 && status !== 429);
      if (refusals.length === 0) throw new Skipped('nothing was refused');
      const faults = refusals.flatMap((answer) => {
        const fault = errorFault(fieldsOf(answer) ?? {});
        return fault === undefined ? [] : [`${fault} in ${describe(answer)}`];
      });
      return { conforms: faults.length === 0, seen: faults[0] ?? `in all ${String(refusals.length)} refusals` };
    },
  };
}

/** Observes a refusal, by its status or, in a successful response, by the error that it states. */
function observe(
  { answer, verdict }: Said,
  statuses: readonly number[],
  classes: readonly AttemptClass[],
): Observation {
  const isRefused = statuses.includes(answer.status) || (isAnswered(answer) && classes.includes(verdict.outcome));
  return { conforms: isRefused, seen: isAnswered(answer) && isRefused ? verdict.detail : describe(answer) };
}
