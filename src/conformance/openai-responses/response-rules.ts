import { apiRuleSet } from '../model-api/api-rules.ts';
import type { RuleSet } from '../rule-set.ts';
import { isObject } from '../../base/is-object.ts';
import { judgeResponse } from '../../protocol/openai-responses/judge-response.ts';
import { show, type Fields } from '../answer.ts';
import { describe, type ApiRule } from '../model-api/api-talk.ts';
import { type Dialect, errorFault } from '../model-api/dialect.ts';
import { memberOf, type StreamEvent } from '../model-api/stream-event.ts';
import { endFault, nameOf, orderly, streamRule } from '../model-api/stream-rule.ts';
import { Skipped } from '../rule.ts';

const section = 'Streaming events';

/** The events of a response and their order, and what ties responses together. */
const responseRules: readonly ApiRule[] = [
  streamRule(
    section,
    {
      id: 'stream-first',
      rule: 'A stream begins with response.created.',
      expected: 'response.created, once and first',
    },
    (events) => {
      const times = events.filter(({ kind }) => kind === 'response.created').length;
      const isKept = events[0]?.kind === 'response.created' && times === 1;
      return { isKept, seen: times > 1 ? `${String(times)} times` : `${nameOf(events[0])} first` };
    },
  ),
  streamRule(
    section,
    { id: 'stream-id', rule: 'All events with the response have its id.', expected: 'one id' },
    (events) => {
      const ids = new Set(events.filter(({ fields }) => isObject(fields?.['response'])).map(responseIdIn));
      const [id] = ids;
      return { isKept: ids.size === 1 && typeof id === 'string' && id !== '', seen: [...ids].map(show).join(', ') };
    },
  ),
  streamRule(
    section,
    { id: 'sequence', rule: 'sequence_number counts the events, without gaps.', expected: 'each one more than before' },
    (events) => orderly(sequenceFault(events)),
  ),
  streamRule(
    section,
    {
      id: 'stream-items',
      rule: 'Items and their parts are added before their pieces and done behind them.',
      expected: 'added, pieces, done',
    },
    (events) => orderly(itemFault(events)),
  ),
  streamRule(
    section,
    {
      id: 'stream-end',
      rule: 'A stream ends with response.completed, response.incomplete or response.failed.',
      expected: 'one of them, once and last',
    },
    (events) => orderly(endFault(events, isEnd), nameOf(events.at(-1))),
  ),
  streamRule(
    section,
    {
      id: 'stream-repeats',
      rule: 'The text at the end is that of the pieces: in response.output_text.done and in the response.',
      expected: 'the same text',
    },
    (events) => {
      const judged = judgeResponse({ ...responseIn(events), id: 'any', status: 'completed' });
      if (!('reply' in judged)) throw new Skipped('no response came at the end');
      const text = events.map(textIn).join('');
      const repeated = [...doneTexts(events), judged.reply.text];
      const other = repeated.find((each) => each !== text);
      return {
        isKept: other === undefined,
        seen: other === undefined ? 'the same' : `${show(other)} after ${show(text)}`,
      };
    },
  ),
  {
    id: 'previous-unknown',
    section: 'Create a model response, previous_response_id',
    rule: 'A previous response that does not exist is refused.',
    expected: 'a status from 400 to 499',
    try: async (talk) => {
      await talk.requireAnswer();
      const previous_response_id = `resp_${talk.subject.newCode()}`;
      const answer = await talk.send({ ...talk.message(), previous_response_id });
      return { isKept: answer.status >= 400 && answer.status <= 499, seen: describe(answer) };
    },
  },
];

const responseIn = (events: readonly StreamEvent[]): Readonly<Record<string, unknown>> => {
  const response = memberOf(endOf(events), 'response');
  return isObject(response) ? response : {};
};

/** The pieces of one text each, joined: there is one text only where one message was asked for. */
function doneTexts(events: readonly StreamEvent[]): unknown[] {
  const done = events.filter(({ kind }) => kind === 'response.output_text.done').map(({ fields }) => fields?.['text']);
  return done.length === 0 ? [] : [done.join('')];
}

function sequenceFault(events: readonly StreamEvent[]): string | undefined {
  // An event that is no JSON is a rule of its own.
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
    const message = items.find((item) => memberOf(item, 'type') === 'message');
    return memberOf(message, 'role');
  },
  finish: {
    member: 'status',
    known: ['completed', 'incomplete'],
    cutOff: 'incomplete',
    of: (reply) => reply['status'],
  },
  usage: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  required: ['model', 'input'],
  // The least that the API takes.
  limits: [{ max_output_tokens: 16 }],
  errorFault,
  stream: {
    isTyped: true,
    textOf: textIn,
    finishOf: (events) => memberOf(endOf(events), 'response', 'status'),
    usageOf: (events) => memberOf(endOf(events), 'response', 'usage'),
    usageTeller: 'The response at the end of a stream',
  },
};

/** What an event adds to the answer; '' for nothing. */
function textIn({ kind, fields }: StreamEvent): string {
  const delta = kind === 'response.output_text.delta' ? fields?.['delta'] : '';
  return typeof delta === 'string' ? delta : '';
}

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

function isEnd({ kind }: StreamEvent): boolean {
  return ends.includes(kind);
}

/** The event with the response as it is at the end. */
function endOf(events: readonly StreamEvent[]): Fields | undefined {
  return events.findLast(isEnd)?.fields;
}

/** The id of the response, in events that have it. */
function responseIdIn({ fields }: StreamEvent): unknown {
  return memberOf(fields, 'response', 'id');
}

/** What is wrong with the order of items, parts and pieces, in words; `undefined`: nothing is. */
function itemFault(events: readonly StreamEvent[]): string | undefined {
  const open = new Set<string>();
  for (const event of events) {
    const fault = take(event, open);
    if (fault !== undefined) return fault;
  }
  return open.size === 0 ? undefined : `${[...open].join(' and ')} never done`;
}

/** Notes what an event opens and closes. */
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
      return isPiece(kind) && !open.has(isOfPart(kind) ? part : item)
        ? `${nameOf(event)} outside its place`
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

/** Pieces of a text, a refusal or reasoning belong to a part; those of a call to its item. */
const isPiece = (kind: string): boolean =>
  /^response\.(output_text|refusal|reasoning_text|function_call_arguments)\.(delta|done)$/.test(kind);
const isOfPart = (kind: string): boolean => !kind.startsWith('response.function_call');

export const ruleSet: RuleSet = apiRuleSet(openaiResponses, responseRules);
