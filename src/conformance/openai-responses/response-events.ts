import { isObject } from '../../base/is-object.ts';
import { contentIn } from '../../protocol/model-api/content-parts.ts';
import { Notes } from '../../protocol/notes.ts';
import { judgeResponse } from '../../protocol/openai-responses/judge-output.ts';
import { isText, show, type Fields } from '../answer.ts';
import { nameOf, observeEnd, observeFault, observeFirst, type StreamEvent } from '../stream-event.ts';
import { Skipped, type Observation } from '../rule.ts';

/** A rule of the events of one response. */
interface ResponseEventRule {
  readonly id: string;
  readonly rule: string;
  readonly expected: string;
  readonly look: (events: readonly StreamEvent[]) => Observation;
}

const rule = (id: string, text: string, expected: string, look: ResponseEventRule['look']): ResponseEventRule => ({
  id,
  rule: text,
  expected,
  look,
});

/** Rules of the events of a response and their order. */
export const responseEventRules: readonly ResponseEventRule[] = [
  rule('stream-first', 'A stream begins with response.created.', 'response.created, once and first', (events) =>
    observeFirst(events, 'response.created'),
  ),
  rule('stream-id', 'All events with the response have its id.', 'the same id in every event', (events) => {
    const responses = events.filter(hasResponse).map(({ fields }) => fields?.['response']);
    if (!responses.every(isObject)) return { conforms: false, seen: 'an event without its response' };
    const ids = new Set(responses.map((response) => response['id']));
    return { conforms: ids.size === 1 && [...ids].every(isText), seen: [...ids].map(show).join(', ') };
  }),
  rule(
    'sequence',
    'sequence_number counts the events, without gaps.',
    'each number 1 above the previous one',
    (events) => observeFault(sequenceFault(events)),
  ),
  rule(
    'stream-items',
    'Items and their parts are added before their deltas and done after them.',
    'added, then deltas, then done',
    (events) => observeFault(itemFault(events)),
  ),
  rule(
    'stream-end',
    'A stream ends with response.completed, response.incomplete or response.failed.',
    'one of these events, once and last',
    (events) => observeEnd(events, isEnd),
  ),
  rule(
    'stream-repeats',
    'The text at the end equals the deltas: in response.output_text.done and in the response.',
    'the same text as in the deltas',
    (events) => {
      const { output = null } = responseIn(events);
      const judged = judgeResponse({ id: 'any', status: 'completed', output: output ?? [] });
      if (endOf(events) === undefined || !('reply' in judged)) throw new Skipped('there was no response at the end');
      const text = events.map(textIn).join('');
      const other = [...doneTexts(events), judged.reply.text].find((each) => each !== text);
      return observeFault(other === undefined ? undefined : `${show(other)} after ${show(text)}`, 'the same');
    },
  ),
];

/** Reports whether an event has the response, by its type or its fields. */
const hasResponse = ({ kind, fields }: StreamEvent): boolean =>
  isObject(fields?.['response']) || /^response\.(created|queued|in_progress|completed|incomplete|failed)$/.test(kind);

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

/** Returns the text of the answer in an event; '' if there is none. */
export function textIn({ kind, fields }: StreamEvent): string {
  const delta = kind === 'response.output_text.delta' ? fields?.['delta'] : '';
  return contentIn({ content: delta }, new Notes())?.text ?? '';
}

const ends = ['response.completed', 'response.incomplete', 'response.failed'];

export function isEnd({ kind }: StreamEvent): boolean {
  return ends.includes(kind);
}

/** Returns the event with the response at the end. */
export function endOf(events: readonly StreamEvent[]): Fields | undefined {
  return events.findLast(isEnd)?.fields;
}

/** Describes the first fault in the order of items, parts and deltas, if any. */
export function itemFault(events: readonly StreamEvent[]): string | undefined {
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
