import type { ApiSpoiling } from '../../support/spoiling-api.ts';
import { inEnding, isStreamed, openai, shared } from './model-apis.ts';
import {
  asksToRecall,
  at,
  brokenBy,
  garbage,
  inEvents,
  inReply,
  lacks,
  ofType,
  otherTag,
  put,
  refusing,
  type Breakage,
  type Fields,
} from './spoil.ts';

const isEnd = ({ type }: Fields): boolean => type === 'response.completed' || type === 'response.incomplete';

const breakages: Breakage[] = [
  ...shared('object', (reply, value) => (reply['status'] = value), 'completed').filter(([id]) => id !== 'id-distinct'),
  ...openai,
  ['id-distinct', sameIds],
  ['created_at', () => inReply((reply) => (reply['created_at'] = '2026-01-01'))],
  ['content', () => inReply((reply) => (at(reply, 'output', 0)['content'] = 'Hello'))],
  ['role', () => inReply((reply) => (at(reply, 'output', 0)['role'] = 'bot'))],
  [
    'memory',
    () =>
      inReply((reply, asked) => asksToRecall(asked) && (at(reply, 'output', 0, 'content', 0)['text'] = 'Who knows?')),
  ],
  ['input-missing', () => refusing(lacks('input'), put(422))],
  [
    'previous-unknown',
    () => ({
      onWay: (asked) => {
        if (String(asked.fields['previous_response_id']).startsWith('resp_QX'))
          asked.body = JSON.stringify({ ...asked.fields, previous_response_id: undefined });
        return undefined;
      },
    }),
  ],
  [
    'stream-json',
    () =>
      inEvents(
        (_, fields) => isEnd(fields),
        (event) => [garbage, event],
      ),
  ],
  ['stream-names', () => inEvents(ofType('response.in_progress'), (event) => [{ ...event, type: 'progress' }])],
  ['stream-text', () => otherTag(isStreamed)],
  ['stream-finish', () => inEnding('others', isEnd, (fields) => (at(fields, 'response')['status'] = 'done'))],
  ['stream-limit', () => inEnding('limited', isEnd, (fields) => (at(fields, 'response')['status'] = 'completed'))],
  ['stream-usage', () => inEnding('others', isEnd, (fields) => (at(fields, 'response')['usage'] = null))],
  ['stream-first', () => inEvents(ofType('response.created'), () => [])],
  [
    'stream-id',
    () =>
      inEvents(ofType('response.in_progress'), (event, fields) => [
        { ...event, data: { ...fields, response: { id: 'resp_2' } } },
      ]),
  ],
  [
    'sequence',
    () =>
      inEvents(ofType('response.in_progress'), (event, fields) => [
        { ...event, data: { ...fields, sequence_number: 7 } },
      ]),
  ],
  [
    'stream-content',
    () =>
      inEvents(ofType('response.output_text.delta'), (event, fields) => [
        { ...event, data: { ...fields, delta: [{ type: 'output_text', text: fields['delta'] }] } },
      ]),
  ],
  [
    'stream-items',
    () =>
      inEvents(ofType('response.output_item.done'), (event, fields) => [
        { ...event, data: { ...fields, output_index: 5 } },
      ]),
  ],
  [
    'stream-end',
    () =>
      inEvents(
        (_, fields) => isEnd(fields),
        (event, { sequence_number: number }) => [
          event,
          { type: 'response.late', data: { type: 'response.late', sequence_number: Number(number) + 1 } },
        ],
      ),
  ],
  [
    'stream-repeats',
    () =>
      inEvents(ofType('response.output_text.done'), (event, fields) => [
        { ...event, data: { ...fields, text: 'Other' } },
      ]),
  ],
];

export const { broken, sound, maxExchanges } = brokenBy(breakages);

/** Every response has one id, and is found by it. */
function sameIds(): ApiSpoiling {
  let id: unknown;
  return {
    onWay: (asked) => {
      asked.body = asked.body.replace('"always"', JSON.stringify(id));
      return undefined;
    },
    onReturn: ({ status, body }) => {
      if (status !== 200) return;
      id = (body as Fields)['id'];
      (body as Fields)['id'] = 'always';
    },
  };
}
