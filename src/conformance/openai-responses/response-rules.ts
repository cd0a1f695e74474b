import { judgeResponse } from '../../protocol/openai-responses/judge-response.ts';
import { isObject } from '../../base/is-object.ts';
import { show } from '../answer.ts';
import { describe, type ApiRule } from '../model-api/api-talk.ts';
import { memberOf, type StreamEvent } from '../model-api/stream-event.ts';
import { endFault, nameOf, orderly, streamRule } from '../model-api/stream-rule.ts';
import { Skipped } from '../skipped.ts';
import { itemFault } from './item-fault.ts';
import { endOf, isEnd, responseIdIn, textIn } from './response-events.ts';

const section = 'Streaming events';

/** The events of a response and their order, and what ties responses together. */
export const responseRules: readonly ApiRule[] = [
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
