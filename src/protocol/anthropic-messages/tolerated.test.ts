import { describe, expect, test } from 'vitest';
import { notesOf, readHowever } from '../../../test/support/split-stream.ts';
import { talkBy, wholeReply, type WrittenEvent } from '../../../test/support/stream-events.ts';
import type { NoteRule } from '../notes.ts';
import { anthropicMessages } from './anthropic-messages.ts';

const { converse, streamed } = talkBy(anthropicMessages);

const event = (type: string, fields: object = {}): [string, object] => [type, { type, ...fields }];
const startOf = (message: unknown): [string, object] => event('message_start', { message });
const start = startOf({ id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: null });
const begin = (block: unknown, index: unknown = 0) => event('content_block_start', { index, content_block: block });
const text = { type: 'text', text: '' };
const delta = (fields: unknown, index: unknown = 0) => event('content_block_delta', { index, delta: fields });
const says = (said: unknown, index: unknown = 0) => delta({ type: 'text_delta', text: said }, index);
const [one, two] = [says('one'), says(' two')];
const done = (index: unknown = 0) => event('content_block_stop', { index });
const outcomeOf = (reason: unknown, rest: object = {}) =>
  event('message_delta', { delta: { stop_reason: reason }, ...rest });
const outcome = outcomeOf('end_turn');
const stop = event('message_stop');
const ending = [outcome, stop];
const streamOf = (...inside: WrittenEvent[]): WrittenEvent[] => [start, begin(text), ...inside, done(), ...ending];

describe('a streamed message', () => {
  test.each<[string, WrittenEvent[], NoteRule[], string?]>([
    ['as described', streamOf(one, two), []],
    ['with unknown events', streamOf(event('ping'), one, event('trace', { id: 7 }), two), []],
    ['with an unknown block', [start, begin({ type: 'search', text: 'no' }), done(), begin(text, 1), says('one two', 1), done(1), ...ending], []],
    ['without an id', [startOf({ id: null, content: [] }), begin(text), one, two, done(), ...ending], []],
    ['with an empty object', streamOf(one, {}, two), ['event_name']],
    ['without names of events', streamOf(one, two).map((each) => ['', (each as [string, object])[1]]), ['event_name']],
    ['with names of events alone', streamOf(one, two).map((each) => { const [type, data] = each as [string, object]; return [type, { ...data, type: undefined }]; }), ['event_name']],
    ['with another name of each event', streamOf(one, two).map((each) => ['message', (each as [string, object])[1]]), ['event_name']],
    ['without message_start', [begin(text), one, two, done(), ...ending], ['no_begin']],
    ['whose message_start has no message', [event('message_start'), begin(text), one, two, done(), ...ending], ['message_form']],
    ['whose message_start is sent twice', [start, start, begin(text), one, two, done(), ...ending], []],
    ['whose second message_start has another id', [start, startOf({ id: 'n' }), begin(text), one, two, done(), ...ending], ['several_ids']],
    ['whose message_start has the whole text', [startOf({ id: 'm', content: [{ type: 'text', text: 'one two' }] }), ...ending], ['message_form']],
    ['whose message_start has the text of the deltas', [startOf({ id: 'm', content: [{ type: 'text', text: 'one two' }] }), begin(text), one, two, done(), ...ending], ['message_form']],
    ['without block events', [start, one, two, ...ending], ['block_order']],
    ['without the end of a block', [start, begin(text), one, two, ...ending], ['block_order']],
    ['with a block that starts within another', [start, begin(text), one, begin(text, 1), says(' two', 1), done(1), ...ending], ['block_order']],
    ['with indexes from 1', [start, begin(text, 1), says('one', 1), says(' two', 1), done(1), ...ending], ['block_order']],
    ['with an index that counts up', streamOf(one, says(' t', 1), says('w', 2), says('o', 3)), ['block_order']],
    ['without indexes', [start, begin(text, null), says('one', null), says(' two', null), done(null), ...ending], ['block_order']],
    ['with text after its block', [start, begin(text), one, done(), two, ...ending], ['block_order']],
    ['with text after many deltas and its block', [start, begin(text), says('o'), says('n'), says('e'), says(' '), done(), says('two'), ...ending], ['block_order']],
    ['with a block of no content', [start, begin(null), one, two, done(), ...ending], ['part_form']],
    ['with a block without a type', [start, begin({ text: 'one' }), two, done(), ...ending], ['part_form']],
    ['with a text at its start', [start, begin({ type: 'text', text: 'one' }), two, done(), ...ending], []],
    ['with a delta without a type', streamOf(delta({ text: 'one' }), two), ['part_form']],
    ['with a delta of the type of its block', streamOf(delta({ type: 'text', text: 'one' }), two), ['part_form']],
    ['with a text that is null', streamOf(one, says(null), two), ['part_form']],
    ['with a text in parts', streamOf(says([{ type: 'text', text: 'one' }]), two), ['part_form']],
    ['with an empty text', streamOf(one, says(''), two), []],
    ['without message_stop', [...streamOf(one, two).slice(0, -1)], ['no_end_event']],
    ['whose reason [DONE] follows', [...streamOf(one, two).slice(0, -1), '[DONE]'], ['no_end_event']],
    ['with [DONE] after its end', [...streamOf(one, two), '[DONE]'], []],
    ['that [DONE] alone ends', [start, begin(text), one, two, done(), '[DONE]'], ['no_end_event', 'no_finish'], 'none'],
    ['without a reason', [start, begin(text), one, two, done(), stop], ['no_finish'], 'none'],
    ['with a reason that is empty', [start, begin(text), one, two, done(), outcomeOf(''), stop], ['no_finish'], 'none'],
    ['with an outcome of no fields', [start, begin(text), one, two, done(), event('message_delta'), ...ending], []],
    ['with text after its reason', [start, begin(text), one, done(), outcome, begin(text, 1), says(' two', 1), done(1), stop], ['text_after_end']],
    ['with text after its end', [...streamOf(one), begin(text, 1), says(' two', 1), done(1)], ['text_after_end']],
    ['cut off', [start, begin(text), one, two, done(), outcomeOf('max_tokens'), stop], [], 'length'],
    ['refused', [start, begin(text), one, two, done(), outcomeOf('refusal'), stop], [], 'filtered'],
    ['with usage that is null', [start, begin(text), one, two, done(), outcomeOf('end_turn', { usage: null }), stop], []],
  ])('%s is a reply with notes', (_, events, notes, finish = 'complete') => {
    const verdict = readHowever(streamed, events);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict)).toEqual(notes);
  }); // prettier-ignore

  const call = (rest: object = {}) => ({ type: 'tool_use', id: 'x', name: 'f', input: {}, ...rest });
  const json = (partial: unknown, index: unknown = 0) =>
    delta({ type: 'input_json_delta', partial_json: partial }, index);
  const reason = [outcomeOf('tool_use'), stop];
  test.each<[string, WrittenEvent[], NoteRule[], string?]>([
    ['as described', [start, begin(call()), json('{"a":'), json('1}'), done(), ...reason], []],
    ['of an input that is sent whole', [start, begin(call({ input: { a: 1 } })), done(), ...reason], []],
    ['of an input that is a text', [start, begin(call({ input: '{"a":1}' })), done(), ...reason], ['input_text']],
    ['of a delta that is an object', [start, begin(call()), json({ a: 1 }), done(), ...reason], ['arguments_value']],
    ['of a delta that is null', [start, begin(call()), json(null), json('{"a":1}'), done(), ...reason], []],
    ['without an id', [start, begin(call({ id: null })), json('{"a":1}'), done(), ...reason], [], ''],
    ['of another index', [start, begin(call()), json('{"a":', 1), json('1}', 1), done(), ...reason], ['block_order']],
    ['after its block', [start, begin(call()), json('{"a":'), done(), json('1}'), ...reason], ['block_order']],
  ])('has a call %s', (_, events, notes, id = 'x') => {
    const verdict = readHowever(streamed, events);
    const toolCalls = [{ id, name: 'f', arguments: '{"a":1}' }];
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { toolCalls, finish: 'tool' } });
    expect(notesOf(verdict)).toEqual(notes);
  });

  test('has the inputs of interleaved calls apart', () => {
    const events = [start, begin(call()), begin(call({ id: 'y' }), 1), json('{"a":', 0), json('{"b":', 1), json('1}', 0), json('2}', 1), done(), done(1), ...reason]; // prettier-ignore
    expect(readHowever(streamed, events).reply?.toolCalls).toEqual([
      { id: 'x', name: 'f', arguments: '{"a":1}' },
      { id: 'y', name: 'f', arguments: '{"b":2}' },
    ]);
  });

  test.each<[string, WrittenEvent[], string]>([
    ['no end', [start, begin(text), one, two, done()], 'truncated'],
    ['only a beginning', [start], 'truncated'],
    ['an outcome without a reason', [start, begin(text), one, done(), outcomeOf(null)], 'truncated'],
    ['another message after its text', [start, begin(text), one, startOf({ id: 'n' }), ...ending], 'contract_broken'],
    ['a text that is a number', streamOf(says(7)), 'contract_broken'],
    ['half an event', [start, begin(text), one, '{"type":"message_st'], 'malformed'],
    ['an error without its name', [start, one, { type: 'error', error: { type: 'overloaded_error' } }], 'server_error'],
    ['a text error', [start, one, ['error', 'Overloaded']], 'provider_error'],
    ['a detail', [{ detail: 'Not now' }, '[DONE]'], 'provider_error'],
    ['an error of another API', [start, { error: { message: 'gone', code: 429 } }, '[DONE]'], 'rate_limited'],
    ['a reason that is an error', [start, begin(text), one, done(), outcomeOf('error'), stop], 'provider_error'],
  ])('with %s failed', (_, events, outcome) => expect(readHowever(streamed, events).outcome).toBe(outcome));
});

describe('a non-streamed message', () => {
  const message = (content: unknown, rest: object = {}): object => ({
    id: 'm',
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: 'end_turn',
    ...rest,
  });
  const part = { type: 'text', text: 'one two' };

  test.each<[string, object, NoteRule[], string?]>([
    ['as described', message([part]), []],
    ['a text', message('one two'), ['content_text']],
    ['one block', message(part), ['content_text']],
    ['a list of texts', message(['one', ' two']), ['part_form']],
    ['a block without a type', message([{ text: 'one two' }]), ['part_form']],
    ['a text that is null', message([part, { type: 'text', text: null }]), ['part_form']],
    ['a text in parts', message([{ type: 'text', text: [part] }]), ['part_form']],
    ['no other fields', { content: [part], stop_reason: 'end_turn' }, []],
    ['no usage', message([part], { usage: null }), []],
    ['no reason', message([part], { stop_reason: null }), ['no_finish'], 'none'],
  ])('with %s is a reply with notes', (_, body, notes, finish = 'complete') => {
    const verdict = converse().read(wholeReply(200, body));
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict)).toEqual(notes);
  });

  test('has a call whose input is a text', () => {
    const body = message([{ type: 'tool_use', name: 'f', input: '{"a":1}' }]);
    const { reply } = converse().read(wholeReply(200, body));
    expect(reply).toMatchObject({ toolCalls: [{ id: '', name: 'f', arguments: '{"a":1}' }], notes: [{ rule: 'input_text' }] }); // prettier-ignore
  });
});
