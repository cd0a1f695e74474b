import { isObject } from '../../base/is-object.ts';
import type { PortDescription } from '../any-protocol/port-description.ts';
import { streamNoteRule } from '../any-protocol/note-rules.ts';
import { portRuleSet } from '../any-protocol/port-rules.ts';
import { isText, show } from '../answer.ts';
import { observeEnd, observeFault, observeFirst, type IsEnd, type StreamEvent } from '../stream-event.ts';
import { observeCounts } from '../model-api/whole-rules.ts';
import { itemFault } from '../openai-responses/response-events.ts';
import { Skipped } from '../rule.ts';
import type { RuleSet } from '../rule-set.ts';
import { eventRules, type TalkRule } from '../talk-rules.ts';

const section = 'Realtime server events';
const ofEvents = eventRules(section);

const isEnd: IsEnd = ({ kind }) => kind === 'response.done';

/** The description of OpenAI's Realtime API. */
const realtimeApi: PortDescription = {
  description: 'OpenAI Realtime API reference',
  sections: {
    reply: 'Realtime, WebSocket',
    stream: section,
    errors: `${section}, error`,
    conversation: 'Realtime conversations',
  },
  required: ['item'],
  misread: ['stream-first', 'stream-items', 'stream-end', 'stream-repeats'],
  errorFault: ({ error }) => {
    if (!isObject(error)) return `error: ${show(error)}`;
    const lacking = ['type', 'message'].find((name) => !isText(error[name]));
    return lacking === undefined ? undefined : `error.${lacking}: ${show(error[lacking])}`;
  },
  isEnd,
};

/** Events about the items of the client, and about limits. */
const besides = [
  'conversation.item.added',
  'conversation.item.done',
  'conversation.item.created',
  'rate_limits.updated',
];

const rules: readonly TalkRule[] = [
  ofEvents('stream-first', 'A response begins with response.created.', 'response.created, once and first', (events) =>
    observeFirst(events, 'response.created', ...besides),
  ),
  ofEvents(
    'stream-items',
    'Items and their parts are added before their deltas and done after them.',
    'added, then deltas, then done',
    (events) => observeFault(itemFault(events)),
  ),
  ofEvents(
    'stream-end',
    'A response ends with response.done and its status.',
    'response.done, once and last, with a status',
    (events) => {
      const end = events.findLast(isEnd)?.fields?.['response'];
      const hasStatus = isObject(end) && isText(end['status']);
      return end === undefined || hasStatus
        ? observeEnd(events, isEnd)
        : observeFault('response.done without a status');
    },
  ),
  ofEvents(
    'stream-repeats',
    'The text at the end equals the deltas: in response.output_text.done.',
    'the same text as in the deltas',
    (events) => {
      const deltas = textsOf(events, /^response\.(?:output_)?text\.delta$/, 'delta');
      const done = textsOf(events, /^response\.(?:output_)?text\.done$/, 'text');
      return observeFault(done === deltas ? undefined : `${show(done)} after ${show(deltas)}`, 'the same');
    },
  ),
  ofEvents(
    'stream-usage',
    'The response at the end reports the tokens.',
    'input_tokens and output_tokens',
    (events) => {
      const end = events.findLast(isEnd)?.fields?.['response'];
      if (!isObject(end)) throw new Skipped('there was no response at the end');
      return observeCounts(end['usage'], ['input_tokens', 'output_tokens']);
    },
  ),
  streamNoteRule({
    id: 'stream-kinds',
    section,
    rule: 'Every event has a type.',
    expected: 'type: a text',
    notes: ['other_event'],
  }),
  streamNoteRule({
    id: 'stream-form',
    section,
    rule: 'The text is sent in events of texts, by their current names.',
    expected: 'response.output_text.delta',
    notes: ['old_form'],
  }),
];

const textsOf = (events: readonly StreamEvent[], kind: RegExp, name: string): string =>
  events.map((event) => (kind.test(event.kind) && isText(event.fields?.[name]) ? event.fields[name] : '')).join('');

export const ruleSet: RuleSet = portRuleSet(realtimeApi, rules);
