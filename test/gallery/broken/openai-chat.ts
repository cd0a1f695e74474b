import type { ApiEvent, ApiSpoiling } from '../../support/spoiling-api.ts';
import { inEnding, isStreamed, openai, shared } from './model-apis.ts';
import {
  asksToRecall,
  at,
  brokenBy,
  garbage,
  inEvents,
  inReply,
  lacks,
  membersOf,
  otherTag,
  put,
  refusing,
  type Breakage,
  type Fields,
} from './spoil.ts';

const firstChoice = (fields: Fields): Fields | undefined => (fields['choices'] as Fields[] | undefined)?.[0];
const isFinish = (fields: Fields): boolean => typeof firstChoice(fields)?.['finish_reason'] === 'string';
const isUsage = (fields: Fields): boolean => 'choices' in fields && firstChoice(fields) === undefined;
const isDone = ({ data }: ApiEvent): boolean => data === '[DONE]';

export const breakages: Breakage[] = [
  ...shared('object', (reply, value) => (at(reply, 'choices', 0)['finish_reason'] = value), 'stop'),
  ...openai,
  ['created', () => inReply((reply) => (reply['created'] = Date.now()))],
  ['content', () => inReply((reply) => (at(reply, 'choices', 0, 'message')['content'] = 5))],
  ['role', () => inReply((reply) => (at(reply, 'choices', 0, 'message')['role'] = 'bot'))],
  [
    'memory',
    () =>
      inReply((reply, asked) => asksToRecall(asked) && (at(reply, 'choices', 0, 'message')['content'] = 'Who knows?')),
  ],
  ['messages-missing', () => refusing(lacks('messages'), put(422))],
  ['stream-json', () => inEvents(isDone, (event) => [garbage, event])],
  ['stream-json', () => ({ omitsBlankLines: true })],
  ['stream-text', () => otherTag(isStreamed)],
  [
    'stream-finish',
    () => inEnding('others', isFinish, (fields) => (at(fields, 'choices', 0)['finish_reason'] = 'done')),
  ],
  [
    'stream-limit',
    () => inEnding('limited', isFinish, (fields) => (at(fields, 'choices', 0)['finish_reason'] = 'stop')),
  ],
  [
    'stream-usage',
    () =>
      inEvents(
        (_, fields) => isUsage(fields),
        () => [],
      ),
  ],
  [
    'stream-object',
    () =>
      inEvents(
        (_, fields) => isFinish(fields),
        (event, fields) => [{ ...event, data: { ...fields, object: 'chunk' } }],
      ),
  ],
  [
    'stream-id',
    () =>
      inEvents(
        (_, fields) => isFinish(fields),
        (event, fields) => [{ ...event, data: { ...fields, id: 'chatcmpl-2' } }],
      ),
  ],
  [
    'stream-index',
    () =>
      inEvents(
        (_, fields) => isFinish(fields),
        (event, fields) => [{ ...event, data: { ...fields, choices: [{ ...firstChoice(fields), index: 1 }] } }],
      ),
  ],
  [
    'stream-content',
    () =>
      inEvents(
        (_, fields) => firstChoice(fields) !== undefined,
        (event, fields) => {
          const delta = at(fields, 'choices', 0, 'delta');
          if (typeof delta['content'] === 'string') delta['content'] = [{ type: 'text', text: delta['content'] }];
          return [event];
        },
      ),
  ],
  [
    'stream-content',
    () =>
      inEvents(
        (_, fields) => typeof firstChoice(fields)?.['delta'] === 'object' && !isFinish(fields),
        (event, fields) => {
          const choice = at(fields, 'choices', 0);
          const { role, content } = choice['delta'] as Fields;
          if (role !== undefined) return [event];
          delete choice['delta'];
          choice['text'] = content;
          return [event];
        },
      ),
  ],
  [
    'stream-role',
    () =>
      inEvents(
        (_, fields) => firstChoice(fields) !== undefined,
        (event, fields) => {
          delete at(fields, 'choices', 0, 'delta')['role'];
          return [event];
        },
      ),
  ],
  [
    'stream-end',
    () =>
      inEvents(
        (_, fields) => isFinish(fields),
        (event) => [event, event],
      ),
  ],
  [
    'stream-end',
    () =>
      inEvents(
        (_, fields) => isFinish(fields),
        (event, fields) => {
          at(fields, 'choices', 0, 'delta')['content'] = ' ';
          return [event];
        },
      ),
  ],
  ['stream-done', () => inEvents(isDone, () => [])],
];

export const { broken, sound, maxExchanges } = brokenBy(breakages);

/** Usage in the last chunk with a choice, as many services with the same API send it. */
export function usageBesideChoice(): ApiSpoiling {
  let held: ApiEvent | undefined;
  return {
    onEvent: (event) => {
      const fields = membersOf(event);
      if (isFinish(fields)) held = event;
      if (held === event) return [];
      if (held === undefined || !isUsage(fields)) return [event];
      const both = { ...held, data: { ...membersOf(held), usage: fields['usage'] } };
      held = undefined;
      return [both];
    },
  };
}
