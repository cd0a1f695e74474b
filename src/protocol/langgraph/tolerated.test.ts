import { describe, expect, test } from 'vitest';
import {
  readAnySplit,
  readEvents,
  talkBy,
  wholeReply,
  type WrittenEvent,
} from '../../../test/support/stream-events.ts';
import { langgraph } from './langgraph.ts';

const { converse, streamed } = talkBy(langgraph);

const human = { type: 'human', id: 'h', content: 'Hello' };
const ai = (content: unknown, more: object = {}): object => ({ type: 'ai', id: 'r', content, ...more });
const token = (content: unknown, more: object = {}): WrittenEvent => [
  'messages',
  [{ type: 'AIMessageChunk', id: 'r', content, ...more }, { langgraph_node: 'agent' }],
];
const stop = { response_metadata: { finish_reason: 'stop' } };
const metadata: WrittenEvent = ['metadata', { run_id: 'run-1' }];
const values = (...messages: unknown[]): WrittenEvent => ['values', { messages }];
const [one, two] = [token('one'), token(' two')];
const final = values(human, ai('one two', stop));
const constructed = (name: string, kwargs: object): object => ({ lc: 1, type: 'constructor', id: ['langchain_core', 'messages', name], kwargs }); // prettier-ignore

describe('a streamed run', () => {
  test.each<[string, WrittenEvent[], string[], string?]>([
    ['as described', [metadata, values(human), one, two, final], []],
    ['with unknown events', [metadata, ['custom', 'x'], ['tasks', []], one, ['debug', {}], two, final], []],
    ['with an event at its end', [metadata, one, two, final, ['end', 'null']], []],
    ['with an event without data at its end', [metadata, one, two, final, ['end', '']], []],
    ['without metadata', [one, two, final], ['no_start']],
    ['without ids', [metadata, token('one', { id: undefined }), token(' two', { id: null }), values(human, ai('one two', { ...stop, id: undefined }))], []], // prettier-ignore
    [
      'with lists of parts',
      [
        metadata,
        token([{ type: 'text', text: 'one', index: 0 }]),
        token([' two']),
        values(human, ai([{ type: 'reasoning', text: 'Hm' }, { type: 'text', text: 'one' }, ' two'], stop)),
      ],
      [],
    ],
    ['with states alone', [metadata, values(human), final], []],
    ['with a message instead of a list', [metadata, one, two, ['values', { messages: ai('one two', stop) }]], []],
    ['with tokens without a list', [metadata, ['messages', { type: 'AIMessageChunk', id: 'r', content: 'one' }], two, final], ['old_form']], // prettier-ignore
    [
      'with messages by their classes',
      [
        metadata,
        ['messages', [constructed('AIMessageChunk', { id: 'r', content: 'one' }), {}]],
        two,
        values(constructed('HumanMessage', { content: 'Hello' }), constructed('AIMessage', { content: 'one two', ...stop })), // prettier-ignore
      ],
      ['old_form'],
    ],
    ['with roles', [metadata, one, two, values({ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'one two', ...stop })], ['old_form']], // prettier-ignore
    ['with wrapped messages', [metadata, one, two, values({ type: 'human', data: { content: 'Hello' } }, { type: 'ai', data: { content: 'one two', ...stop } })], ['old_form']], // prettier-ignore
    ['with tokens alone', [metadata, one, two, token('', stop)], ['no_state']],
    ['with a last token', [metadata, one, token(' two', { chunk_position: 'last' })], ['no_state'], 'none'],
    ['with tokens and an end', [metadata, one, two, ['end', '']], ['no_state'], 'none'],
    ['with a state of other fields, and an end', [metadata, ['values', { output: 'x' }], one, two, ['end', '']], ['no_state'], 'none'], // prettier-ignore
    [
      'with messages so far',
      [
        metadata,
        ['messages/metadata', { r: {} }],
        ['messages/partial', [ai('one')]],
        ['messages/partial', [ai('one two')]],
        ['messages/complete', [ai('one two', stop)]],
      ],
      ['no_state'],
    ],
    ['with messages so far and states', [metadata, ['messages/partial', [ai('one')]], ['messages/partial', [ai('one two')]], final], []], // prettier-ignore
    ['with updates', [metadata, one, two, ['updates', { agent: { messages: [ai('one two', stop)] } }]], ['no_state']],
    ['with updates alone', [metadata, ['updates', { tools: null, agent: { messages: ai('one two', stop) } }]], ['no_state']], // prettier-ignore
    ['with updates and states', [metadata, one, two, ['updates', { agent: { messages: [ai('one two', stop)] } }], final], []], // prettier-ignore
  ])('%s is read with notes, however it is split', (_, events, notes, finish = 'complete') => {
    const { outcome, detail, reply } = readAnySplit(streamed, events);
    expect([outcome, detail, reply?.text, reply?.finish]).toEqual(['ok', '', 'one two', finish]);
    expect((reply?.notes ?? []).map(({ rule }) => rule)).toEqual(notes);
    expect(readEvents(streamed(), events).text).toBe('one two');
  });

  test('reports the first text as content, also in modes without tokens', () => {
    expect(readEvents(streamed(), [metadata, values(human), final]).pieces).toEqual(['other', 'other', 'content']);
    const soFar = ['messages/partial', [ai('one')]];
    expect(readEvents(streamed(), [metadata, soFar, soFar]).pieces).toEqual(['other', 'content', 'other']);
  });

  test('has the tool calls of its tokens', () => {
    const part = (more: object): WrittenEvent => token('', { tool_call_chunks: [{ index: 0, ...more }] });
    const events = [metadata, part({ id: 'x', name: 'f', args: '{"a"' }), part({ args: ':1}' }), ['end', '']];
    expect(readAnySplit(streamed, events).reply).toMatchObject({
      toolCalls: [{ id: 'x', name: 'f', arguments: '{"a":1}' }],
    });
  });

  test.each<[string, WrittenEvent[], string, string]>([
    ['without an end', [metadata, values(human), one, two], 'truncated', 'without a state'],
    ['with tokens that stop', [metadata, token('one', stop), two], 'truncated', 'without a state'],
    ['with an end without a reply', [metadata, values(human), ['end', '']], 'truncated', 'without a state'],
    ['with a text error', [metadata, one, ['error', 'Broken']], 'provider_error', 'Broken'],
    ['with a JSON text as error', [metadata, one, ['error', '"Broken"']], 'provider_error', 'Broken'],
    ['with an error of a subgraph', [metadata, one, ['error|a', { error: 'ValueError', message: 'Broken' }]], 'provider_error', 'Broken'], // prettier-ignore
    ['with a detail', [metadata, one, ['error', { detail: 'Broken' }]], 'provider_error', 'Broken'],
    ['with an error object', [metadata, one, ['error', { error: { message: 'Broken', code: 429 } }]], 'rate_limited', 'Broken'], // prettier-ignore
    [
      'with an error of a proxy',
      [metadata, one, { error: { message: 'Broken', code: 502 } }],
      'server_error',
      'Broken',
    ],
    ['with an error in its state', [metadata, ['values', { __error__: { error: 'E', message: 'Broken' } }]], 'provider_error', 'Broken'], // prettier-ignore
    ['with half an event', [metadata, one, ['values', '{"messages":']], 'malformed', 'not JSON'],
    ['with a failed reply', [metadata, values(human, ai('', { response_metadata: { finish_reason: 'error' } }))], 'provider_error', "'error'"], // prettier-ignore
  ])('%s fails', (_, events, outcome, detail) => {
    const verdict = readAnySplit(streamed, events);
    expect(verdict).toMatchObject({ outcome, reply: undefined });
    expect(verdict.detail).toContain(detail);
  });
});

describe('a run that is not streamed', () => {
  test.each<[string, object, string[]]>([
    ['as described', { messages: [human, ai('one two')] }, []],
    ['with a message instead of a list', { messages: ai('one two') }, []],
    ['with roles', { messages: [{ role: 'assistant', content: 'one two' }] }, ['old_form']],
  ])('%s is read with notes', (_, body, notes) => {
    const { outcome, reply } = converse().read(wholeReply(200, body));
    expect([outcome, reply?.text]).toEqual(['ok', 'one two']);
    expect((reply?.notes ?? []).map(({ rule }) => rule)).toEqual(notes);
  });

  test('has calls without ids, and with arguments as text', () => {
    const body = { messages: [human, ai(null, { tool_calls: [{ id: null, name: 'f', args: '{"a":1}' }] })] };
    expect(converse().read(wholeReply(200, body)).reply?.toolCalls).toEqual([
      { id: '', name: 'f', arguments: '{"a":1}' },
    ]);
  });
});
