import { describe, expect, test } from 'vitest';
import {
  readAnySplit,
  readEvents,
  talkBy,
  wholeReply,
  type WrittenEvent,
} from '../../../test/support/stream-events.ts';
import { aiSdk } from './ai-sdk.ts';

const { converse } = talkBy(aiSdk);
const streamed = (): ReturnType<typeof converse> => converse({ stream: true });

const start = { type: 'start', messageId: 'msg' };
const begin = { type: 'text-start', id: 't' };
const delta = (text: string, id: unknown = 't'): object => ({ type: 'text-delta', id, delta: text });
const [one, two] = [delta('one'), delta(' two')];
const end = { type: 'text-end', id: 't' };
const finish = { type: 'finish', finishReason: 'stop' };
const text = [begin, one, two, end];

describe('a message', () => {
  test.each<[string, WrittenEvent[], string[], string?]>([
    ['as described', [start, ...text, finish, '[DONE]'], []],
    ['with data, sources and files', [start, { type: 'data-weather', data: {} }, ...text, { type: 'source-url', sourceId: 's', url: 'u' }, { type: 'file', url: 'u', mediaType: 'image/png' }, finish, '[DONE]'], []], // prettier-ignore
    ['with unknown parts', [start, { type: 'heartbeat' }, ...text, finish, '[DONE]'], ['other_event']],
    ['with a part without a type', [start, {}, ...text, finish, '[DONE]'], ['other_event']],
    ['without a start', [...text, finish, '[DONE]'], ['no_start']],
    ['without the start of its text', [start, one, two, finish, '[DONE]'], ['text_bounds']],
    ['without the end of its text', [start, begin, one, two, finish, '[DONE]'], ['text_bounds']],
    ['with other ids', [start, begin, delta('one', 'u'), delta(' two', null), end, finish, '[DONE]'], ['text_bounds']],
    ['with many parts after the end of its text', [start, begin, end, ...['o', 'n', 'e', ' ', 't', 'w', 'o'].map((each) => delta(each)), finish, '[DONE]'], ['text_bounds']], // prettier-ignore
    [
      'with the end of another text',
      [start, ...text, { type: 'text-end', id: 'u' }, finish, '[DONE]'],
      ['text_bounds'],
    ],
    ['that [DONE] alone ends', [start, ...text, '[DONE]'], ['no_finish'], 'none'],
    ['without [DONE]', [start, ...text, finish], []],
    ['without a reason', [start, ...text, { type: 'finish' }, '[DONE]'], [], 'none'],
    ['with a reason in parts', [start, ...text, { type: 'finish', finishReason: { unified: 'length', raw: 'max' } }, '[DONE]'], ['old_form'], 'length'], // prettier-ignore
    ['that is cut off', [start, ...text, { type: 'finish', finishReason: 'length' }, '[DONE]'], [], 'length'],
    ['that is filtered', [start, ...text, { type: 'finish', finishReason: 'content-filter' }], [], 'filtered'],
    ['with the parts of a model', [start, begin, { type: 'text-delta', id: 't', text: 'one' }, { type: 'text-delta', id: 't', text: ' two' }, end, finish, '[DONE]'], ['old_form']], // prettier-ignore
    ['with whole texts', [start, { type: 'text', text: 'one' }, { type: 'text', text: ' two' }, finish, '[DONE]'], ['old_form']], // prettier-ignore
    ['with an empty part', [start, begin, one, { type: 'text-delta', id: 't', delta: null }, two, end, finish, '[DONE]'], []], // prettier-ignore
    ['with text after its end', [start, begin, one, finish, two, end, '[DONE]'], ['text_after_end']],
  ])('%s is read with notes, however it is split', (_, events, notes, expected = 'complete') => {
    const { outcome, detail, reply } = readAnySplit(streamed, events);
    expect([outcome, detail, reply?.text, reply?.finish]).toEqual(['ok', '', 'one two', expected]);
    expect((reply?.notes ?? []).map(({ rule }) => rule)).toEqual(notes);
  });

  test('with tool calls and no reason ends with a tool', () => {
    const events = [
      start,
      { type: 'tool-input-start', toolCallId: 'x', toolName: 'f' },
      { type: 'tool-input-available', toolCallId: 'x', input: { a: 1 } },
      { type: 'tool-input-available', input: {} },
      { type: 'finish' },
    ];
    const { reply } = readAnySplit(streamed, events);
    expect(reply).toMatchObject({ finish: 'tool', toolCalls: [{ id: 'x', name: 'f', arguments: '{"a":1}' }] });
    expect(reply?.notes).toEqual([{ rule: 'other_event', detail: 'tool-input-available without a toolCallId' }]);
  });

  test('has reasoning that is not a text', () => {
    const thought = { type: 'reasoning-delta', id: 'r', text: 'Hm' };
    const { pieces, verdict } = readEvents(streamed(), [
      start,
      thought,
      { type: 'reasoning', text: 'Hm' },
      ...text,
      finish,
    ]);
    expect(pieces.slice(0, 3)).toEqual(['other', 'reasoning', 'reasoning']);
    expect(verdict.reply?.text).toBe('one two');
  });

  test.each<[string, WrittenEvent[], string, string]>([
    ['without an end', [start, ...text, { type: 'finish-step' }], 'truncated', 'without finish'],
    ['that is aborted', [start, begin, one, { type: 'abort' }], 'truncated', 'aborted'],
    [
      'with an error',
      [start, begin, one, { type: 'error', errorText: 'Broken' }, '[DONE]'],
      'provider_error',
      'Broken',
    ],
    ['with an error of a proxy', [start, { error: { message: 'Broken', code: 502 } }], 'server_error', 'Broken'],
    ['with a detail', [{ detail: 'Broken' }], 'provider_error', 'Broken'],
    ['that failed', [start, { type: 'finish', finishReason: 'error' }, '[DONE]'], 'provider_error', "'error'"],
    ['with half a part', [start, begin, '{"type":"text-de'], 'malformed', 'not JSON'],
    ['with a delta that is not a text', [start, begin, { type: 'text-delta', id: 't', delta: 5 }], 'contract_broken', 'text-delta'], // prettier-ignore
  ])('%s fails', (_, events, outcome, detail) => {
    const verdict = readAnySplit(streamed, events);
    expect(verdict).toMatchObject({ outcome, reply: undefined });
    expect(verdict.detail).toContain(detail);
  });

  test('in the lines of an earlier version is refused with the remedy', () => {
    const received = wholeReply(200, 'f:{"messageId":"m"}\n0:"one"\n', { contentType: 'text/plain' });
    expect(streamed().read(received)).toMatchObject({ outcome: 'malformed', detail: expect.stringMatching(/AI SDK 4: update/) as string }); // prettier-ignore
  });
});
