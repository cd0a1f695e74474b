import { describe, expect, test } from 'vitest';
import { eventOf, wholeReply } from '../../../test/support/stream-events.ts';
import type { Verdict } from '../protocol.ts';
import { PastResponses, RealtimeFrames } from './read-realtime.ts';

const created = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } };
const place = { response_id: 'r', item_id: 'i', content_index: 0 };
const delta = (text: unknown, type = 'response.output_text.delta', more: object = {}): object => ({ type, ...place, delta: text, ...more }); // prettier-ignore
const whole = (text: string, type = 'response.output_text.done'): object => ({ type, ...place, text });
const [one, two] = [delta('one'), delta(' two')];
const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one two' }] };
const done = (more: object = {}): object => ({ type: 'response.done', response: { id: 'r', status: 'completed', output: [item], ...more } }); // prettier-ignore

function read(frames: readonly unknown[]): Verdict {
  const reader = new RealtimeFrames('request', new PastResponses());
  for (const frame of frames) {
    const event = eventOf(typeof frame === 'string' ? frame : JSON.stringify(frame));
    if (!reader.isOver && reader.accepts(event)) reader.take(event);
  }
  const closed = reader.isOver ? {} : { closeCode: 1000 };
  return reader.conclude({ ...wholeReply(101, ''), ...closed, stream: reader });
}

describe('a response', () => {
  test.each<[string, object[], string[], string?]>([
    ['as described', [created, one, two, whole('one two'), done()], []],
    ['with unknown events', [created, { type: 'response.sparkle', response_id: 'r' }, one, two, done()], []],
    ['with an event without a type', [created, { response_id: 'r' }, one, two, done()], ['other_event']],
    ['without its beginning', [one, two, done()], ['no_start']],
    ['without ids', [{ type: 'response.created', response: {} }, { type: 'response.output_text.delta', delta: 'one' }, { type: 'response.output_text.delta', delta: ' two' }, { type: 'response.output_text.done', text: 'one two' }, { type: 'response.done', response: { status: 'completed' } }], []], // prettier-ignore
    [
      'with the names of the beta',
      [created, delta('one', 'response.text.delta'), delta(' two', 'response.text.delta'), whole('one two', 'response.text.done'), done()], // prettier-ignore
      ['old_form'],
    ],
    [
      'with the transcript of speech',
      [created, delta('one', 'response.output_audio_transcript.delta'), delta(' two', 'response.output_audio_transcript.delta'), { type: 'response.output_audio_transcript.done', ...place, transcript: 'one two' }, done({ output: [{ ...item, content: [{ type: 'output_audio', transcript: 'one two' }] }] })], // prettier-ignore
      ['old_form'],
    ],
    ['with its text at the end of the part', [created, whole('one two'), done()], ['late_text']],
    ['with a rest at the end of the part', [created, one, whole('one two'), done()], ['late_text']],
    ['with its text at the end', [created, done()], ['late_text']],
    ['with its text in an item', [created, { type: 'response.output_item.done', item }, done({ output: [] })], ['late_text']], // prettier-ignore
    [
      'with two parts',
      [created, one, whole('one'), delta(' two', undefined, { content_index: 1 }), { ...whole(' two'), content_index: 1 }, done()], // prettier-ignore
      [],
    ],
    ['with the ends of its parts last', [created, one, delta(' two', undefined, { content_index: 1 }), whole('one'), { ...whole(' two'), content_index: 1 }, done()], []], // prettier-ignore
    ['without output', [created, one, two, done({ output: null })], []],
    ['without a status', [created, one, two, done({ status: undefined })], ['no_finish'], 'none'],
    ['without a response at its end', [created, one, two, { type: 'response.done' }], ['no_finish'], 'none'],
    ['that is cut off', [created, one, two, done({ status: 'incomplete', status_details: { reason: 'max_output_tokens' } })], [], 'length'], // prettier-ignore
    ['that is filtered', [created, one, two, done({ status: 'incomplete', status_details: { type: 'incomplete', reason: 'content_filter' } })], [], 'filtered'], // prettier-ignore
  ])('%s is read with notes', (_, frames, notes, finish = 'complete') => {
    const { outcome, detail, reply } = read(frames);
    expect([outcome, detail, reply?.text, reply?.finish]).toEqual(['ok', '', 'one two', finish]);
    expect((reply?.notes ?? []).map(({ rule }) => rule)).toEqual(notes);
  });

  test('has the calls of its items, with arguments that are a value', () => {
    const call = { type: 'function_call', name: 'f', call_id: 'x', arguments: { a: 1 } };
    const { reply } = read([created, { type: 'response.output_item.done', item: call }, done({ output: [] })]);
    expect(reply).toMatchObject({ finish: 'tool', toolCalls: [{ id: 'x', name: 'f', arguments: '{"a":1}' }] });
    expect(reply?.notes).toMatchObject([{ rule: 'arguments_value' }]);
  });

  test.each<[string, unknown[], string, string]>([
    ['without an end', [created, one, two], 'truncated', ''],
    ['of another id', [created, one, { ...done(), response: { id: 's', status: 'completed' } }], 'truncated', ''],
    ['that failed', [created, one, done({ status: 'failed', status_details: { error: { type: 'server_error', message: 'Broken' } } })], 'server_error', 'Broken'], // prettier-ignore
    ['that is cancelled', [created, one, done({ status: 'cancelled', status_details: { reason: 'turn_detected' } })], 'truncated', 'turn_detected'], // prettier-ignore
    ['with an error', [created, { type: 'error', error: { type: 'invalid_request_error', message: 'Bad' } }], 'bad_request', 'Bad'], // prettier-ignore
    ['with an error without a type', [created, { error: { message: 'Broken' } }], 'provider_error', 'Broken'],
    ['with half a frame', [created, '{"type":"resp'], 'malformed', 'not JSON'],
    ['with a delta that is not a text', [created, delta(5)], 'contract_broken', 'delta'],
  ])('%s fails', (_, frames, outcome, detail) => {
    const verdict = read(frames);
    expect(verdict).toMatchObject({ outcome, reply: undefined });
    expect(verdict.detail).toContain(detail);
  });
});
