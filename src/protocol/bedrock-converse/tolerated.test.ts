import { describe, expect, test } from 'vitest';
import { notesOf, readHowever } from '../../../test/support/split-stream.ts';
import { talkBy, wholeReply, type WrittenEvent } from '../../../test/support/stream-events.ts';
import type { NoteRule } from '../notes.ts';
import { bedrockConverse } from './bedrock-converse.ts';

const { converse, streamed } = talkBy(bedrockConverse);

type Frame = [type: string, fields: object];
const start: Frame = ['messageStart', { role: 'assistant' }];
const delta = (fields: unknown, contentBlockIndex: unknown = 0): Frame => [
  'contentBlockDelta',
  { contentBlockIndex, delta: fields },
];
const done = (contentBlockIndex: unknown = 0): Frame => ['contentBlockStop', { contentBlockIndex }];
const [one, two] = [delta({ text: 'one' }), delta({ text: ' two' })];
const stopBy = (stopReason: unknown): Frame => ['messageStop', { stopReason }];
const stop = stopBy('end_turn');
const metadata: Frame = ['metadata', { usage: { inputTokens: 3, outputTokens: 2 } }];
const whole = [start, one, two, done(), stop, metadata];

describe('a streamed reply', () => {
  test.each<[string, WrittenEvent[], NoteRule[], string?]>([
    ['as described', whole, []],
    ['with unknown events', [start, one, ['trace', { id: 1 }], two, done(), stop, metadata], []],
    ['with an empty object', [start, one, ['', {}], two, done(), stop], []],
    ['without usage', [start, one, two, done(), stop], []],
    ['with usage that is null', [...whole, ['metadata', { usage: null }]], []],
    ['with its types as fields', whole.map(([type, fields]) => ['', { [type]: fields }]), ['event_name']],
    ['with its types as `type`', whole.map(([type, fields]) => ['chunk', { type, ...fields }]), ['event_name']],
    ['without messageStart', whole.slice(1), ['no_begin']],
    ['without the end of a block', [start, one, two, stop, metadata], ['block_order']],
    ['with an index that counts up', [start, one, delta({ text: ' two' }, 1), done(1), stop], ['block_order']],
    ['without indexes', [start, delta({ text: 'one' }, null), delta({ text: ' two' }, null), done(null), stop], ['block_order']],
    ['with text after its block', [start, one, done(), two, stop], ['block_order']],
    ['with text after many deltas and its block', [start, ...['o', 'n', 'e', ' '].map((text) => delta({ text })), done(), delta({ text: 'two' }), stop], ['block_order']],
    ['with a text that is null', [start, one, delta({ text: null }), two, done(), stop], ['part_form']],
    ['with a text in parts', [start, delta({ text: [{ text: 'one' }] }), two, done(), stop], ['part_form']],
    ['without a reason', [start, one, two, done(), stopBy(undefined), metadata], ['no_finish'], 'none'],
    ['that [DONE] alone ends', [start, one, two, done(), ['', '[DONE]']], ['no_end_event', 'no_finish'], 'none'],
    ['with text after its end', [start, one, done(), stop, delta({ text: ' two' }, 1), done(1)], ['text_after_end']],
    ['cut off', [start, one, two, done(), stopBy('max_tokens')], [], 'length'],
    ['filtered', [start, one, two, done(), stopBy('guardrail_intervened')], [], 'filtered'],
  ])('%s is a reply with notes', (_, events, notes, finish = 'complete') => {
    const verdict = readHowever(streamed, events);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict)).toEqual(notes);
  }); // prettier-ignore

  const call = { toolUseId: 'x', name: 'f' };
  const begin = (toolUse: object = call): Frame => ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse } }];
  const input = (text: unknown, index = 0): Frame => delta({ toolUse: { input: text } }, index);
  test.each<[string, Frame[], NoteRule[], string?]>([
    ['as described', [begin(), input('{"a":'), input('1}')], []],
    ['without an id', [begin({ name: 'f' }), input('{"a":1}')], [], ''],
    ['of a delta that is an object', [begin(), input({ a: 1 })], ['arguments_value']],
    ['of an input at its start', [begin({ ...call, input: { a: 1 } })], []],
    ['of an input at its start that is a text', [begin({ ...call, input: '{"a":1}' })], ['input_text']],
    ['without its start', [delta({ toolUse: { ...call, input: '{"a":' } }), input('1}')], []],
  ])('has a call %s', (_, events, notes, id = 'x') => {
    const verdict = readHowever(streamed, [start, ...events, done(), stopBy('tool_use')]);
    expect(verdict.reply).toMatchObject({ finish: 'tool', toolCalls: [{ id, name: 'f', arguments: '{"a":1}' }] });
    expect(notesOf(verdict)).toEqual(notes);
  });

  test.each<[string, WrittenEvent[], string]>([
    ['no end', [start, one, two, done()], 'truncated'],
    ['usage in place of its end', [start, one, two, done(), metadata], 'truncated'],
    ['a delta that is a text', [start, delta('one')], 'contract_broken'],
    ['a text that is a number', [start, delta({ text: 7 })], 'contract_broken'],
    ['an input without a call', [start, input('{}')], 'contract_broken'],
    ['half an event', [start, ['contentBlockDelta', '{"delta":']], 'malformed'],
    ['an exception', [start, ['throttlingException', { message: 'Wait' }]], 'rate_limited'],
    ['an exception as a field', [start, ['', { throttlingException: { message: 'Wait' } }]], 'rate_limited'],
    ['an error of another API', [start, ['', { error: { message: 'gone' } }]], 'provider_error'],
    ['a reason that is an error', [start, one, done(), stopBy('malformed_model_output')], 'provider_error'],
  ])('with %s failed', (_, events, outcome) => expect(readHowever(streamed, events).outcome).toBe(outcome));
});

describe('a non-streamed reply', () => {
  const reply = (content: unknown, rest: object = {}): object => ({
    output: { message: { content } },
    stopReason: 'end_turn',
    ...rest,
  });
  const block = { text: 'one two' };
  test.each<[string, object, NoteRule[], string?]>([
    ['as described', reply([block]), []],
    ['a text', reply('one two'), ['content_text']],
    ['one block', reply(block), ['content_text']],
    ['a list of texts', reply(['one', ' two']), ['part_form']],
    ['a text that is null', reply([block, { text: null }]), ['part_form']],
    ['a call that is null', reply([{ ...block, toolUse: null }]), []],
    ['no reason', reply([block], { stopReason: null }), ['no_finish'], 'none'],
    ['no usage', reply([block], { usage: null }), []],
  ])('with %s is a reply with notes', (_, body, notes, finish = 'complete') => {
    const verdict = converse().read(wholeReply(200, body));
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict)).toEqual(notes);
  });
});
