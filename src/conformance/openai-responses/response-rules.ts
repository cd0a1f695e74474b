import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { isObject, valueAt } from '../../base/is-object.ts';
import { judgeResponse } from '../../protocol/openai-responses/read-response.ts';
import { isText, show, type Fields } from '../answer.ts';
import { describe, eventRules, type ApiRule } from '../model-api/api-talk.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { nameOf, observeEnd, observeFault, observeFirst, type StreamEvent } from '../model-api/stream-event.ts';
import { Skipped } from '../rule.ts';

const ofEvents = eventRules('Streaming events');

/** Rules of the events of a response and their order, and of the links between responses. */
const responseRules: readonly ApiRule[] = [
  ofEvents('stream-first', 'A stream begins with response.created.', 'response.created, once and first', (events) =>
    observeFirst(events, 'response.created'),
  ),
  ofEvents('stream-id', 'All events with the response have its id.', 'the same id in every event', (events) => {
    const ids = new Set(
      events
        .filter(({ fields }) => isObject(fields?.['response']))
        .map(({ fields }) => valueAt(fields, ['response', 'id'])),
    );
    return { conforms: ids.size === 1 && [...ids].every(isText), seen: [...ids].map(show).join(', ') };
  }),
  ofEvents(
    'sequence',
    'sequence_number counts the events, without gaps.',
    'each number 1 above the previous one',
    (events) => observeFault(sequenceFault(events)),
  ),
  ofEvents(
    'stream-items',
    'Items and their parts are added before their deltas and done after them.',
    'added, then deltas, then done',
    (events) => observeFault(itemFault(events)),
  ),
  ofEvents(
    'stream-end',
    'A stream ends with response.completed, response.incomplete or response.failed.',
    'one of these events, once and last',
    (events) => observeEnd(events, isEnd),
  ),
  ofEvents(
    'stream-repeats',
    'The text at the end equals the deltas: in response.output_text.done and in the response.',
    'the same text as in the deltas',
    (events) => {
      const judged = judgeResponse({ ...responseIn(events), id: 'any', status: 'completed' });
      if (!('reply' in judged)) throw new Skipped('there was no response at the end');
      const text = events.map(textIn).join('');
      const other = [...doneTexts(events), judged.reply.text].find((each) => each !== text);
      return observeFault(other === undefined ? undefined : `${show(other)} after ${show(text)}`, 'the same');
    },
  ),
  {
    id: 'previous-unknown',
    section: 'Create a model response, previous_response_id',
    rule: 'A previous response that does not exist is refused.',
    expected: 'a status from 400 to 499',
    try: async (talk) => {
      const answer = await talk.sendOver({ previous_response_id: `resp_${talk.subject.newCode()}` });
      return { conforms: answer.status >= 400 && answer.status <= 499, seen: describe(answer) };
    },
  },
];

const responseIn = (events: readonly StreamEvent[]): Readonly<Record<string, unknown>> => {
  const response = endOf(events)?.['response'];
  return isObject(response) ? response : {};
};

/** Returns the texts, joined: a reply of one message has one text. */
function doneTexts(events: readonly StreamEvent[]): unknown[] {
  const done = events.filter(({ kind }) => kind === 'response.output_text.done').map(({ fields }) => fields?.['text']);
  return done.length === 0 ? [] : [done.join('')];
}

function sequenceFault(events: readonly StreamEvent[]): string | undefined {
  // An event that is not JSON is a separate rule.
  const numbers = events.flatMap(({ fields }) => (fields === undefined ? [] : [fields['sequence_number']]));
  const first = Number(numbers[0]);
  const at = numbers.findIndex((number, index) => number !== first + index || !Number.isInteger(number));
  if (at === -1) return undefined;
  return `${show(numbers[at])} after ${at === 0 ? 'nothing' : show(numbers[at - 1])}`;
}

/** OpenAI's responses. */
const openaiResponses: Dialect = {
  description: 'OpenAI API reference',
  sections: {
    request: 'Create a model response',
    reply: 'The response object',
    stream: 'Streaming events',
    errors: 'Error codes',
    conversation: 'Create a model response, previous_response_id',
  },
  kind: { member: 'object', value: 'response' },
  created: 'created_at',
  judge: (reply) => judgeResponse({ ...reply, id: 'any', status: 'completed' }),
  roleOf: (reply) => {
    const { output } = reply;
    const items: readonly unknown[] = Array.isArray(output) ? output : [];
    return valueAt(
      items.find((item) => valueAt(item, ['type']) === 'message'),
      ['role'],
    );
  },
  finish: {
    member: 'status',
    known: ['completed', 'incomplete'],
    cutOff: 'incomplete',
    of: (reply) => reply['status'],
  },
  usage: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  required: ['model', 'input'],
  // The minimum that the API accepts.
  limits: [{ max_output_tokens: 16 }],
  errorFault,
  stream: {
    isTyped: true,
    textOf: textIn,
    finishOf: (events) => valueAt(endOf(events), ['response', 'status']),
    usageOf: (events) => valueAt(endOf(events), ['response', 'usage']),
    usageSource: 'The response at the end of a stream',
  },
};

/** Returns the text of the answer in an event; '' if there is none. */
function textIn({ kind, fields }: StreamEvent): string {
  const delta = kind === 'response.output_text.delta' ? fields?.['delta'] : '';
  return typeof delta === 'string' ? delta : '';
}

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

function isEnd({ kind }: StreamEvent): boolean {
  return ends.includes(kind);
}

/** Returns the event with the response at the end. */
function endOf(events: readonly StreamEvent[]): Fields | undefined {
  return events.findLast(isEnd)?.fields;
}

/** Describes the first fault in the order of items, parts and deltas, if any. */
function itemFault(events: readonly StreamEvent[]): string | undefined {
  const open = new Set<string>();
  for (const event of events) {
    const fault = take(event, open);
    if (fault !== undefined) return fault;
  }
  return open.size === 0 ? undefined : `${[...open].join(' and ')} never done`;
}

/** Records the item or part that an event opens or closes; returns its fault, if any. */
function take(event: StreamEvent, open: Set<string>): string | undefined {
  const { kind } = event;
  const [item, part] = [itemOf(event), partOf(event)];
  switch (kind) {
    case 'response.output_item.added':
      return opened(item, open);
    case 'response.content_part.added':
      return open.has(item) ? opened(part, open) : `${part} before its item`;
    case 'response.content_part.done':
      return closed(part, open);
    case 'response.output_item.done':
      return [...open].some((each) => each.startsWith(`part `) && each.endsWith(` of ${item}`))
        ? `${item} done before its part`
        : closed(item, open);
    default:
      if (isEnd(event)) return open.size === 0 ? undefined : `${[...open].join(' and ')} not done at the end`;
      return isDelta(kind) && !open.has(isOfPart(kind) ? part : item)
        ? `${nameOf(event)} outside its part or item`
        : undefined;
  }
}

function opened(what: string, open: Set<string>): string | undefined {
  if (open.has(what)) return `${what} added twice`;
  open.add(what);
  return undefined;
}

const closed = (what: string, open: Set<string>): string | undefined =>
  open.delete(what) ? undefined : `${what} done without being added`;

const itemOf = ({ fields }: StreamEvent): string => `item ${show(fields?.['output_index'])}`;
const partOf = (event: StreamEvent): string => `part ${show(event.fields?.['content_index'])} of ${itemOf(event)}`;

/** Deltas of a text, a refusal or reasoning belong to a part, deltas of a call to its item. */
const isDelta = (kind: string): boolean =>
  /^response\.(output_text|refusal|reasoning_text|function_call_arguments)\.(delta|done)$/.test(kind);
const isOfPart = (kind: string): boolean => !kind.startsWith('response.function_call');

export const ruleSet: RuleSet = apiRuleSet(openaiResponses, responseRules);
