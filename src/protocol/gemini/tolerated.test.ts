import { describe, expect, test } from 'vitest';
import { notesOf, readHowever } from '../../../test/support/split-stream.ts';
import { talkBy, wholeReply, type WrittenEvent } from '../../../test/support/stream-events.ts';
import type { NoteRule } from '../notes.ts';
import { gemini } from './gemini.ts';

const { converse, streamed } = talkBy(gemini);

const chunk = (content: unknown, rest: object = {}, top: object = {}): object => ({
  candidates: [{ content, index: 0, ...rest }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 },
  responseId: 'r',
  ...top,
});
const parts = (...list: unknown[]): object => ({ role: 'model', parts: list });
const said = (text: unknown, rest: object = {}, top: object = {}): object => chunk(parts({ text }), rest, top);
const stop = { finishReason: 'STOP' };
const [one, two] = [said('one'), said(' two')];
const end = said('', stop);

describe('a streamed reply', () => {
  test.each<[string, WrittenEvent[], NoteRule[], string?]>([
    ['as described', [one, said(' two', stop)], []],
    ['with an end of its own', [one, two, end], []],
    ['whose end has no content', [one, two, chunk(undefined, stop)], []],
    ['with several parts', [chunk(parts({ text: 'one' }, { text: ' two' }), stop)], []],
    ['with thoughts', [chunk(parts({ text: 'Hm', thought: true }, { text: 'one' })), two, end], []],
    ['with unknown parts', [chunk(parts({ executableCode: { code: 'x' } }, { text: 'one' })), two, end], []],
    ['with an id per chunk', [one, said(' two', stop, { responseId: 's' })], ['several_ids']],
    ['without ids', [said('one', {}, { responseId: undefined }), said(' two', stop, { responseId: null })], []],
    ['with an index that counts up', [one, said(' two', { index: 1 }), said('', { ...stop, index: 2 })], ['other_index']],
    ['without indexes', [said('one', { index: undefined }), said(' two', { ...stop, index: undefined })], []],
    ['with a chunk of usage', [one, two, end, { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } }], ['no_choices']],
    ['with candidates that are null', [one, { candidates: null }, said(' two', stop)], ['no_choices']],
    ['with an empty list of candidates', [one, { candidates: [] }, said(' two', stop)], []],
    ['with one candidate in place of the list', [{ candidates: { content: parts({ text: 'one' }) }, usageMetadata: { promptTokenCount: 3 } }, said(' two', stop)], ['no_choices']],
    ['with an empty object', [one, {}, said(' two', stop)], ['no_choices']],
    ['with parts that are a text', [chunk({ parts: 'one' }), two, end], ['content_text']],
    ['with one part in place of the list', [chunk({ parts: { text: 'one' } }), two, end], ['content_text']],
    ['with a list of texts', [chunk(parts('one', ' two')), end], ['part_form']],
    ['with a content that is a text', [chunk('one'), two, end], ['content_text']],
    ['with a content that is a part', [chunk({ text: 'one' }), two, end], ['content_text']],
    ['with a content that is a list of parts', [chunk([{ text: 'one' }]), two, end], ['content_text']],
    ['with a content that is null', [one, chunk(null), two, end], []],
    ['with a text that is null', [one, said(null), two, end], ['part_form']],
    ['with usage that is null', [one, said(' two', {}, { usageMetadata: null }), end, { candidates: [], usageMetadata: null }], []],
    ['with an empty reason in each chunk', [said('one', { finishReason: '' }), said(' two', { finishReason: null }), end], []],
    ['with an unspecified reason', [said('one', { finishReason: 'FINISH_REASON_UNSPECIFIED' }), two, end], []],
    ['with a reason in each chunk', [said('one', stop), said(' two', stop)], ['text_after_end']],
    ['with text after its end', [said('one', stop), two, end], ['text_after_end']],
    ['with [DONE] after its end', [one, two, end, '[DONE]'], []],
    ['that [DONE] alone ends', [one, two, '[DONE]'], ['no_finish'], 'none'],
    ['with names of events', [['message', one], ['message', said(' two', stop)]], []],
    ['cut off', [one, said(' two', { finishReason: 'MAX_TOKENS' })], [], 'length'],
    ['filtered', [one, two, chunk(undefined, { finishReason: 'SAFETY' })], [], 'filtered'],
  ])('%s is a reply with notes', (_, events, notes, finish = 'complete') => {
    const verdict = readHowever(streamed, events);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish, usage: { inputTokens: 3 } } });
    expect(notesOf(verdict)).toEqual(notes);
  }); // prettier-ignore

  test.each<[string, unknown, NoteRule[]]>([
    ['as described', { name: 'f', args: { a: 1 } }, []],
    ['whose input is a text', { name: 'f', args: '{"a":1}' }, ['input_text']],
  ])('has a call %s', (_, functionCall, notes) => {
    const verdict = readHowever(streamed, [chunk(parts({ functionCall }, { functionCall: null }), stop)]);
    expect(verdict.reply).toMatchObject({ finish: 'tool', toolCalls: [{ name: 'f', arguments: '{"a":1}' }] });
    expect(notesOf(verdict)).toEqual(notes);
  });

  test('of several candidates is the first one', () => {
    const several = () => converse({ stream: true, messageBody: { generationConfig: { candidateCount: 2 } } });
    const verdict = readHowever(several, [
      one,
      said('no', { index: 1 }),
      said(' two', stop),
      said('', { ...stop, index: 1 }),
    ]);
    expect(verdict.reply?.text).toBe('one two');
    expect(notesOf(verdict)).toEqual([]);
  });

  test.each<[string, WrittenEvent[], string]>([
    ['no end', [one, two], 'truncated'],
    ['content after an early end', [said('one', stop), two], 'truncated'],
    ['half an event', [one, '{"candidates":['], 'malformed'],
    ['a text that is a number', [said(7)], 'contract_broken'],
    ['a call without a name', [chunk(parts({ functionCall: {} }))], 'contract_broken'],
    ['a blocked prompt and no candidates', [{ promptFeedback: { blockReason: 'SAFETY' }, candidates: [] }], 'bad_request'],
    ['a reason that is an error', [one, chunk(undefined, { finishReason: 'MALFORMED_FUNCTION_CALL' })], 'provider_error'],
    ['a text error', [one, { error: 'gone' }], 'provider_error'],
    ['an error of a status', [one, { error: { code: 503, message: 'gone' } }], 'server_error'],
  ])('with %s failed', (_, events, outcome) => expect(readHowever(streamed, events).outcome).toBe(outcome)); // prettier-ignore
});

describe('a non-streamed reply', () => {
  test.each<[string, object, NoteRule[], string?]>([
    ['as described', said('one two', stop), []],
    ['one candidate in place of the list', { candidates: { content: parts({ text: 'one two' }), ...stop } }, ['no_choices']],
    ['parts that are a text', chunk({ parts: 'one two' }, stop), ['content_text']],
    ['a list of texts', chunk(parts('one', ' two'), stop), ['part_form']],
    ['a content that is a text', chunk('one two', stop), ['content_text']],
    ['no reason', said('one two'), ['no_finish'], 'none'],
    ['an empty reason', said('one two', { finishReason: '' }), ['no_finish'], 'none'],
    ['no usage', said('one two', stop, { usageMetadata: null }), []],
  ])('with %s is a reply with notes', (_, body, notes, finish = 'complete') => {
    const verdict = converse().read(wholeReply(200, body));
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish } });
    expect(notesOf(verdict)).toEqual(notes);
  }); // prettier-ignore

  test.each([{ error: 'gone' }, { detail: 'gone' }, { success: false, msg: 'gone' }])('that is %j failed', (body) =>
    expect(converse().read(wholeReply(200, body)).outcome).toBe('provider_error'),
  );
});
