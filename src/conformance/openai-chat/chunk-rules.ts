import { show } from '../answer.ts';
import type { ApiRule } from '../model-api/api-talk.ts';
import { isDone, memberOf, type StreamEvent } from '../model-api/stream-event.ts';
import { endFault, orderly, streamRule } from '../model-api/stream-rule.ts';
import { finishesOf, finishIn, textIn } from './chunks.ts';

const section = 'The chat completion chunk object';

/** The chunks of a completion, and their order. */
export const chunkRules: readonly ApiRule[] = [
  streamRule(
    section,
    {
      id: 'stream-object',
      rule: 'Every event is a chunk with a list of choices.',
      expected: 'object: "chat.completion.chunk", choices',
    },
    (events) => {
      const other = chunksOf(events).find(
        ({ fields }) => fields?.['object'] !== 'chat.completion.chunk' || !Array.isArray(fields['choices']),
      )?.fields;
      const seen = other && `object: ${show(other['object'])}, choices: ${show(other['choices'])}`;
      return orderly(seen, 'chunks');
    },
  ),
  streamRule(
    section,
    { id: 'stream-id', rule: 'All chunks of a completion have its id.', expected: 'one id' },
    (events) => {
      const ids = [...new Set(chunksOf(events).map(({ fields }) => show(fields?.['id'])))];
      return { isKept: ids.length === 1 && ids[0]?.length !== 2 && ids[0] !== 'missing', seen: ids.join(', ') };
    },
  ),
  streamRule(
    section,
    { id: 'stream-role', rule: 'The first chunk says who speaks.', expected: 'delta.role: "assistant"' },
    (events) => {
      const role = memberOf(chunksOf(events)[0]?.fields, 'choices', 0, 'delta', 'role');
      return { isKept: role === 'assistant', seen: show(role) };
    },
  ),
  streamRule(
    section,
    {
      id: 'stream-end',
      rule: 'finish_reason comes once, and nothing is said behind it.',
      expected: 'one finish_reason, behind the text',
    },
    (events) => orderly(finishFault(events)),
  ),
  streamRule(
    'Create chat completion, stream',
    { id: 'stream-done', rule: 'A stream ends with [DONE].', expected: '[DONE], once and last' },
    (events) => orderly(endFault(events, isDone), 'last'),
  ),
];

const chunksOf = (events: readonly StreamEvent[]): StreamEvent[] => events.filter(({ fields }) => fields !== undefined);

function finishFault(events: readonly StreamEvent[]): string | undefined {
  const count = finishesOf(events).length;
  if (count !== 1) return `finish_reason came ${String(count)} times`;
  const at = events.findIndex((event) => typeof finishIn(event) === 'string');
  const behind = events.slice(at + 1).find((event) => textIn(event) !== '');
  return behind && `"${textIn(behind)}" came behind it`;
}
