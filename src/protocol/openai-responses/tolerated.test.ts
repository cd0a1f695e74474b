import { describe, expect, test } from 'vitest';
import { notesOf, readHowever } from '../../../test/support/split-stream.ts';
import { readEvents, talkBy, wholeReply, type WrittenEvent } from '../../../test/support/stream-events.ts';
import type { NoteRule } from '../notes.ts';
import { openaiResponses } from './openai-responses.ts';
import { ResponseReader } from './read-response.ts';

const { converse, streamed } = talkBy(openaiResponses);

type Event = { type: string } & Record<string, unknown>;
const responseOf = (output: unknown, rest: object = {}): object => ({
  id: 'r',
  status: 'completed',
  model: 'm',
  output,
  usage: { input_tokens: 3, output_tokens: 2 },
  ...rest,
});
const part = (text: unknown, type = 'output_text'): object => ({ type, text, annotations: [] });
const said = (content: unknown): object => ({ type: 'message', role: 'assistant', content });
const message = said([part('one two')]);
const at = { output_index: 0, content_index: 0 };
const event = (type: string, fields: object = {}): Event => ({ type: `response.${type}`, ...fields });
const created = event('created', { response: responseOf([], { status: 'in_progress', usage: null }) });
const begun = [
  event('output_item.added', { ...at, item: said([]) }),
  event('content_part.added', { ...at, part: part('') }),
];
const delta = (text: unknown, rest: object = at): Event => event('output_text.delta', { ...rest, delta: text });
const deltas = [delta('one'), delta(' two')];
const textDone = event('output_text.done', { ...at, text: 'one two' });
const closed = [
  event('content_part.done', { ...at, part: part('one two') }),
  event('output_item.done', { ...at, item: message }),
];
const content = [...begun, ...deltas, textDone, ...closed];
const completedBy = (response: unknown): Event => event('completed', { response });
const completed = completedBy(responseOf([message]));

/** Names events by their types, as the API does. */
const named = (events: readonly (Event | string)[]): WrittenEvent[] =>
  events.map((each) => (typeof each === 'string' ? each : [each.type, each]));
const counted = (events: readonly Event[], write: (index: number) => unknown): Event[] =>
  events.map((each, index) => ({ ...each, sequence_number: write(index) }));
const whole = [created, ...content, completed];

describe('a streamed response', () => {
  test.each<[string, WrittenEvent[], NoteRule[], string?]>([
    ['as described', named(counted(whole, (index) => index)), []],
    ['with numbers from 1', named(counted(whole, (index) => index + 1)), []],
    ['without numbers', named(whole), []],
    ['with numbers that are null', named(counted(whole, () => null)), []],
    ['with numbers that are texts', named(counted(whole, String)), ['event_number']],
    ['with unknown events', named([created, event('news'), ...content, completed]), []],
    ['without names of events', whole, ['event_name']],
    ['with names of events alone', whole.map((each) => [each.type, { ...each, type: undefined }]), ['event_name']],
    ['with an empty object', [...named([created, ...content]), {}, ...named([completed])], ['event_name']],
    ['without response.created', named([...content, completed]), ['no_begin']],
    ['whose beginning has no response', named([event('created'), ...content, completed]), ['message_form']],
    ['with another id at its end', named([created, ...content, completedBy(responseOf([message], { id: 's' }))]), ['several_ids']],
    ['with an id at its end alone', named([event('created', { response: {} }), ...content, completed]), []],
    ['without an id', named([event('created', { response: {} }), ...content, completedBy(responseOf([message], { id: undefined }))]), ['no_id']],
    ['without items and parts', named([created, ...deltas, textDone, completed]), ['block_order']],
    ['without parts', named([created, event('output_item.added', { item: said([]) }), ...deltas, completed]), ['block_order']],
    ['without the end of a part', named([created, ...begun, ...deltas, completed]), ['block_order']],
    ['without indexes', named([created, ...content.map((each) => ({ ...each, output_index: undefined, content_index: undefined })), completed]), []],
    ['with a delta that is null', named([created, ...begun, ...deltas, delta(null), ...closed, completed]), ['part_form']],
    ['with a delta that is a part', named([created, ...begun, delta(part('one')), delta(' two'), ...closed, completed]), ['part_form']],
    ['without deltas', named([created, ...begun, textDone, ...closed, completed]), ['other_end']],
    ['whose end alone has the text', named([created, completed]), ['other_end']],
    ['whose items alone have the text', named([created, begun[0] ?? created, closed[1] ?? created, completedBy(responseOf([]))]), ['other_end']],
    ['whose end continues the deltas', named([created, ...begun, delta('one'), ...closed, completed]), ['other_end']],
    ['whose second part has no deltas', named([created, ...begun, delta('one'), ...closed, ...begun, event('output_text.done', { output_index: 0, content_index: 1, text: ' two' }), ...closed, completed]), ['other_end']],
    ['whose end has no output', named([created, ...content, completedBy(responseOf(undefined))]), ['other_end']],
    ['whose end has an empty output', named([created, ...content, completedBy(responseOf([]))]), ['other_end']],
    ['whose end has other text', named([created, ...content, completedBy(responseOf([said([part('no')])]))]), ['other_end']],
    ['whose end has no response', named([created, ...content, event('completed')]), ['message_form', 'other_end']],
    ['whose end has its text as a text', named([created, ...content, completedBy(responseOf('one two'))]), ['content_text', 'part_form']],
    ['whose end has a message that is a text', named([created, ...content, completedBy(responseOf([said('one two')]))]), ['content_text', 'part_form']],
    ['whose end has a part of another type', named([created, ...content, completedBy(responseOf([said([part('one two', 'text')])]))]), ['part_form']],
    ['whose end is in progress', named([created, ...content, completedBy(responseOf([message], { status: 'in_progress' }))]), []],
    ['whose end has no status', named([created, ...content, completedBy(responseOf([message], { status: null }))]), []],
    ['whose end has no usage', named([created, ...content, completedBy(responseOf([message], { usage: null }))]), []],
    ['that [DONE] alone ends', named([created, ...content, '[DONE]']), ['other_end', 'no_end_event', 'no_finish'], 'none'],
    ['with [DONE] after its end', named([...whole, '[DONE]']), []],
    ['with text after its end', named([created, ...begun, delta('one'), ...closed, completedBy(responseOf([said([part('one')])])), delta(' two')]), ['block_order', 'text_after_end']],
    ['cut off', named([created, ...content, event('incomplete', { response: responseOf([message], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }) })]), [], 'length'],
    ['cut off without a status', named([created, ...content, event('incomplete', { response: responseOf([message], { status: undefined, incomplete_details: { reason: 'content_filter' } }) })]), [], 'filtered'],
  ])('%s is a reply with notes', (_, events, notes, finish = 'complete') => {
    const verdict = readHowever(streamed, events);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict).toSorted()).toEqual(notes.toSorted());
  }); // prettier-ignore

  test.each([
    [[...begun, textDone, completed], 3],
    [[completed], 1],
  ])('without deltas has its text at the event that has it', (events, index) => {
    const { pieces } = readEvents(streamed(), named([created, ...events]));
    expect(pieces.indexOf('content')).toBe(index);
    expect(pieces.filter((piece) => piece === 'content')).toHaveLength(1);
  });

  test('that was refused is filtered, even if its end has no output', () => {
    const refusal = [event('refusal.delta', { ...at, delta: 'No.' }), event('refusal.done', { ...at, refusal: 'No.' })];
    const verdict = readHowever(
      streamed,
      named([created, ...begun, ...refusal, ...closed, completedBy(responseOf([]))]),
    );
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'No.', finish: 'filtered' } });
  });

  const call = { type: 'function_call', id: 'f', call_id: 'x', name: 'find', arguments: '{"a":1}' };
  const added = event('output_item.added', { output_index: 0, item: { ...call, arguments: '' } });
  const json = (text: unknown): Event => event('function_call_arguments.delta', { output_index: 0, delta: text });
  const parts = [json('{"a":'), json('1}')];
  const done = event('output_item.done', { output_index: 0, item: call });
  const end = (output: unknown): Event => completedBy(responseOf(output));
  test.each<[string, Event[], NoteRule[], string?]>([
    ['as described', [added, ...parts, done, end([call])], []],
    ['of items alone', [added, ...parts, done, end([])], ['other_end']],
    ['of deltas alone', [added, ...parts, end(undefined)], ['block_order', 'other_end']],
    ['of done arguments alone', [added, event('function_call_arguments.done', { output_index: 0, arguments: '{"a":1}' }), end([])], ['block_order', 'other_end']],
    ['of a delta that is an object', [added, json({ a: 1 }), end([])], ['arguments_value', 'block_order', 'other_end']],
    ['of its end alone', [end([call])], []],
    ['whose arguments are an object', [end([{ ...call, arguments: { a: 1 } }])], ['arguments_value']],
    ['without an id', [end([{ ...call, call_id: null }])], [], 'f'],
  ])('has a call %s', (_, events, notes, id = 'x') => {
    const verdict = readHowever(streamed, named([created, ...events]));
    const toolCalls = [{ id, name: 'find', arguments: '{"a":1}' }];
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { toolCalls, finish: 'tool' } });
    expect(notesOf(verdict).toSorted()).toEqual(notes);
  }); // prettier-ignore

  test.each<[string, WrittenEvent[], string]>([
    ['no end', named([created, ...content]), 'truncated'],
    ['a gap', named([...counted([created, ...begun], (index) => index), ...counted([completed], () => 7)]), 'contract_broken'],
    ['a step back', named(counted(whole, (index) => 9 - index)), 'contract_broken'],
    ['one number twice', named(counted(whole, () => 1)), 'contract_broken'],
    ['half an event', [...named([created, ...content]), '{"type":"response.compl'], 'malformed'],
    ['a delta that is a number', named([created, delta(7)]), 'contract_broken'],
    ['a failure without its response', named([created, event('failed')]), 'provider_error'],
    ['a status that is a failure', named([created, ...content, completedBy(responseOf([message], { status: 'failed' }))]), 'provider_error'],
    ['a text error', [...named([created]), { error: 'gone' }], 'provider_error'],
    ['the object error', [...named([created]), { object: 'error', message: 'gone', code: 503 }], 'server_error'],
    ['a call without a name', named([created, completedBy(responseOf([{ ...call, name: undefined }]))]), 'contract_broken'],
  ])('with %s failed', (_, events, outcome) => expect(readHowever(streamed, events).outcome).toBe(outcome)); // prettier-ignore
});

test('an event of the previous response over a socket is late: it breaks the reply', () => {
  const reader = new ResponseReader({ isNamed: false, previousId: 'p' });
  expect(reader.take(event('completed', { response: { id: 'p' } }), '')).toMatchObject({ outcome: 'contract_broken' });
  expect(reader.take(event('created', { response: { id: 'r' } }), '')).toBe('other');
  expect(reader.notes.all).toBeUndefined();
});

describe('a non-streamed response', () => {
  test.each<[string, object, NoteRule[], string?]>([
    ['as described', responseOf([message]), []],
    ['a text as its output', responseOf('one two'), ['content_text', 'part_form']],
    ['one item as its output', responseOf(message), ['content_text']],
    ['parts as its output', responseOf([part('one'), part(' two')]), ['part_form']],
    ['a text as its content', responseOf([said('one two')]), ['content_text', 'part_form']],
    ['one part as its content', responseOf([said(part('one two'))]), ['content_text']],
    ['parts of another type', responseOf([said([part('one', 'text'), part(' two', 'text')])]), ['part_form']],
    ['a text that is null', responseOf([said([part('one two'), part(null)])]), ['part_form']],
    ['a message without a type', responseOf([{ content: [part('one two')] }]), ['part_form']],
    ['an unknown item', responseOf([{ type: 'trace', content: 'no' }, message]), []],
    ['no id', responseOf([message], { id: undefined }), ['no_id']],
    ['no status', responseOf([message], { status: undefined }), ['no_finish'], 'none'],
    ['an unknown status', responseOf([message], { status: 'done' }), []],
    ['no usage', responseOf([message], { usage: null }), []],
    ['a limit', responseOf([message], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }), [], 'length'],
  ])('with %s is a reply with notes', (_, body, notes, finish = 'complete') => {
    const verdict = converse().read(wholeReply(200, body));
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict).toSorted()).toEqual(notes);
  }); // prettier-ignore

  test.each([
    [responseOf([message], { status: 'in_progress' }), 'contract_broken'],
    [responseOf([message], { status: 'cancelled' }), 'provider_error'],
    [responseOf(null), 'contract_broken'],
    [{ error: 'gone' }, 'provider_error'],
  ])('that is %j is %s', (body, outcome) => expect(converse().read(wholeReply(200, body)).outcome).toBe(outcome));
});
