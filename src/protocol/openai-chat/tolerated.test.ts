import { describe, expect, test } from 'vitest';
import { readEvents, talkBy, wholeReply, type WrittenEvent } from '../../../test/support/stream-events.ts';
import { openaiChat } from './openai-chat.ts';

const { converse, streamed } = talkBy(openaiChat);

const chunk = (delta: object, rest: object = {}, top: object = {}): object => ({
  id: 'a',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  ...top,
});
const [one, two] = [chunk({ content: 'one' }), chunk({ content: ' two' })];
const finish = (reason: string | null = 'stop'): object => chunk({}, { finish_reason: reason });
const part = (type: string, text: string): object => ({ type, text });

describe('a streamed completion', () => {
  test.each<[string, WrittenEvent[], string[], string?]>([
    ['as described', [one, two, finish(), '[DONE]'], []],
    ['with an id per chunk', [one, chunk({ content: ' two' }, {}, { id: 'b' }), finish(), '[DONE]'], ['several_ids']],
    ['without ids', [one, two, finish()].map((each) => ({ ...each, id: undefined })), []],
    ['with empty ids', [one, two, finish()].map((each) => ({ ...each, id: '' })), []],
    [
      'with an index that counts up',
      [one, chunk({ content: ' two' }, { index: 1 }), chunk({}, { index: 2, finish_reason: 'stop' })],
      ['other_index'],
    ],
    ['with a chunk of control', [{ service_tier: 'default' }, one, two, finish(), '[DONE]'], ['no_choices']],
    ['with choices that are null', [one, { id: 'a', choices: null }, two, finish()], ['no_choices']],
    ['with an empty object', [one, {}, two, finish()], ['no_choices']],
    ['with an empty error', [{ ...one, error: {} }, { ...two, error: '' }, finish()], []],
    ['with an error that is null', [{ ...one, error: null }, two, finish()], []],
    [
      'with a list of parts',
      [chunk({ content: [part('text', 'one'), part('reference', 'x')] }), two, finish()],
      ['content_parts'],
    ],
    [
      'with parts of other names',
      [
        chunk({
          content: [part('thought_summary', 'Hm'), part('text_delta', 'o'), { type: 'text', text: { value: 'ne' } }],
        }),
        two,
        finish(),
      ],
      ['content_parts'],
    ],
    [
      'with a part of a thought',
      [chunk({ content: [{ text: 'Hm', thought: true }, 'one'] }), two, finish()],
      ['content_parts'],
    ],
    ['with a choice that is null', [one, { id: 'a', choices: [null] }, two, finish()], ['no_choices']],
    ['with blank events', ['  ', one, two, finish(), '[DONE]'], ['other_event']],
    [
      'with events that keep it open',
      [['heartbeat', '2026-01-01T00:00:00Z'], one, ['ping', '{}'], two, finish()],
      ['other_event', 'no_choices'],
    ],
    [
      'with steps',
      [
        { code: 0, msg: 'ok' },
        one,
        { code: 20_000, message: 'Success' },
        { status: 'searching', message: 'x' },
        two,
        finish(),
      ],
      ['no_choices'],
    ],
    ['with a step that failed', [one, { type: 'tool', status: 'error', message: 'x' }, two, finish()], ['no_choices']],
    ['with events that are null', [one, null, two, '""', finish()], ['other_event']],
    ['with empty finish reasons', [chunk({ content: 'one' }, { finish_reason: '' }), two, finish()], []],
    ['with text after its end', [one, finish(), two, '[DONE]'], ['text_after_end', 'no_finish']],
    [
      'with text with its end',
      [one, chunk({ content: ' two' }, { finish_reason: 'stop' }), finish(), '[DONE]'],
      ['text_after_end'],
    ],
    [
      'with an early end in two events of one form',
      [
        chunk({ content: 'one' }, { finish_reason: 'stop' }),
        chunk({ content: ' t' }),
        chunk({ content: 'wo' }, { finish_reason: 'stop' }),
      ],
      ['text_after_end'],
    ],
    ['that [DONE] alone ends', [one, two, finish(null), '[DONE]'], ['no_finish'], 'none'],
    ['that [DONE] with spaces ends', [one, two, ' [DONE] '], ['no_finish'], 'none'],
    ['that [DONE] in quotation marks ends', [one, two, '"[DONE]"'], ['no_finish'], 'none'],
    ['cut off', [one, two, finish('length'), '[DONE]'], [], 'length'],
    ['filtered', [one, two, finish('content_filter')], [], 'filtered'],
    ['cut off, and ended by a gateway', [one, two, finish('length'), finish(), '[DONE]'], [], 'length'],
    ['filtered, and ended by a gateway', [one, two, finish('content_filter'), finish()], [], 'filtered'],
    [
      'cut off by the provider of a gateway',
      [one, two, chunk({}, { finish_reason: 'stop', native_finish_reason: 'MAX_TOKENS' })],
      [],
      'length',
    ],
    [
      'with the text of the older API of completions',
      [{ choices: [{ text: 'one' }] }, { choices: [{ text: ' two', finish_reason: 'stop' }] }, '[DONE]'],
      ['old_form', 'text_after_end'],
    ],
    [
      'whole in one chunk',
      [{ choices: [{ message: { content: 'one two' }, finish_reason: 'stop' }] }, '[DONE]'],
      ['old_form', 'text_after_end'],
    ],
    [
      'with its message again at its end',
      [one, two, { choices: [{ message: { content: 'one two' }, finish_reason: 'stop' }] }],
      ['old_form'],
    ],
    [
      'in messages of one part each',
      [{ choices: [{ message: { content: 'one' } }] }, { choices: [{ message: { content: ' two' } }] }, finish()],
      ['old_form'],
    ],
    [
      'in messages that grow',
      [{ choices: [{ message: { content: 'one' } }] }, { choices: [{ message: { content: 'one two' } }] }, finish()],
      ['old_form'],
    ],
    ['with its title', [{ title: 'Order' }, one, two, finish()], ['no_choices']],
    ['with a message of progress', [{ message: 'Searching' }, one, two, finish()], ['no_choices']],
    ['with a limit before its last text', [one, finish('length'), two, finish(), '[DONE]'], ['text_after_end']],
  ])('%s is a reply with notes', (_, events, notes, end = notes.includes('no_finish') ? 'complete' : 'complete') => {
    const { verdict } = readEvents(streamed(), events);
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish: end } });
    expect((verdict.reply?.notes ?? []).map(({ rule }) => rule)).toEqual(notes);
  });

  test('with another status of success is a reply with a note', () => {
    const { verdict } = readEvents(streamed(), [one, two, finish(), '[DONE]'], { status: 201 });
    expect(verdict).toMatchObject({ outcome: 'ok', reply: { notes: [{ rule: 'other_status', detail: '201' }] } });
  });

  test('has reasoning in parts', () => {
    const thought = chunk({ content: [{ type: 'thinking', thinking: [part('text', 'Hm')] }] });
    const { pieces, verdict } = readEvents(streamed(), [thought, thought, one, finish()]);
    expect(pieces).toEqual(['reasoning', 'reasoning', 'content', 'other']);
    expect(verdict.reply?.text).toBe('one');
  });

  test('with a finish reason in each chunk of reasoning ends with its answer', () => {
    const thought = chunk({ reasoning_content: 'Hm' }, { finish_reason: 'stop' });
    const begun = readEvents(streamed(), [thought, thought, one]);
    expect(begun.verdict.outcome).toBe('truncated');
    const whole = readEvents(streamed(), [thought, thought, one, two, finish(), '[DONE]']);
    expect(whole.verdict).toMatchObject({ outcome: 'ok', reply: { text: 'one two', finish: 'complete' } });
  });

  test('takes its usage from any chunk, and the last whole one', () => {
    const usage = (fields: object | null): object => ({ id: 'a', choices: [], usage: fields });
    const events = [one, usage({ prompt_tokens_details: { cached_tokens: 0 } }), two, finish(), usage({ prompt_tokens: 41, completion_tokens: 6 }), usage(null), usage({ prompt_tokens: null }), '[DONE]']; // prettier-ignore
    expect(readEvents(streamed(), events).verdict.reply?.usage).toMatchObject({ inputTokens: 41, outputTokens: 6 });
  });

  test.each<[string, WrittenEvent[]]>([
    ['streamed', [chunk({ function_call: { name: 'f' } }), chunk({ function_call: { arguments: '{"a":1}' } })]],
    ['streamed next to null', [chunk({ tool_calls: null, function_call: { name: 'f', arguments: { a: 1 } } })]],
  ])('with the single call of the older API, %s, has a call', (_, events) => {
    const { verdict } = readEvents(streamed(), [...events, finish('function_call'), '[DONE]']);
    expect(verdict.reply).toMatchObject({
      finish: 'tool',
      toolCalls: [{ id: '', name: 'f', arguments: '{"a":1}' }],
    });
    expect(verdict.reply?.notes).toContainEqual({ rule: 'old_form', detail: '' });
  });

  test.each<[string, object[]]>([
    [
      'two calls at one index',
      [
        { index: 0, id: 'x', function: { name: 'f', arguments: '{"a":1}' } },
        { index: 0, id: 'y', function: { name: 'g', arguments: '{}' } },
      ],
    ],
    [
      'no index',
      [
        { id: 'x', function: { name: 'f', arguments: '{"a"' } },
        { id: 'x', function: { arguments: ':1}' } },
        { id: 'y', function: { name: 'g', arguments: '{}' } },
      ],
    ],
    [
      'parts without an id',
      [
        { id: 'x', function: { name: 'f', arguments: '{"a"' } },
        { function: { arguments: ':1}' } },
        { id: 'y', function: { name: 'g', arguments: '{}' } },
      ],
    ],
    [
      'arguments that are objects',
      [
        { index: 0, id: 'x', function: { name: 'f', arguments: { a: 1 } } },
        { index: 1, id: 'y', function: { name: 'g', arguments: {} } },
      ],
    ],
  ])('with %s has both calls', (_, parts) => {
    const events = [...parts.map((each) => chunk({ tool_calls: [each] })), finish('tool_calls'), '[DONE]'];
    const { verdict } = readEvents(streamed(), events);
    expect(verdict.reply).toMatchObject({
      finish: 'tool',
      toolCalls: [
        { id: 'x', name: 'f', arguments: '{"a":1}' },
        { id: 'y', name: 'g', arguments: '{}' },
      ],
    });
    expect(verdict.reply?.notes).toHaveLength(1);
  });

  test.each<[string, WrittenEvent[], string, string]>([
    ['the reason error', [one, finish('error'), '[DONE]'], 'provider_error', "'error'"],
    [
      'a failure of the provider',
      [chunk({ content: '' }, { finish_reason: 'stop', native_finish_reason: 'network_error' }), '[DONE]'],
      'provider_error',
      "'network_error'",
    ],
    [
      'an error in a choice',
      [one, chunk({}, { finish_reason: 'error', error: { code: 502, message: 'gone' } })],
      'server_error',
      'gone',
    ],
    ['the object error', [{ object: 'error', message: 'too long', code: 400 }, '[DONE]'], 'bad_request', 'too long'],
    ['a text error', [one, { error: 'too long' }, '[DONE]'], 'provider_error', 'too long'],
    ['a detail', [{ detail: 'Not now' }, '[DONE]'], 'provider_error', 'Not now'],
    ['a message without success', [{ success: false, msg: 'busy' }, '[DONE]'], 'provider_error', 'busy'],
    [
      'an error with empty choices',
      [one, { choices: [], error: { message: 'broke' } }, '[DONE]'],
      'provider_error',
      'broke',
    ],
    ['the reason error before another one', [one, finish('error'), finish(), '[DONE]'], 'provider_error', "'error'"],
    [
      'a failure of the provider after text',
      [one, chunk({}, { finish_reason: 'stop', native_finish_reason: 'network_error' }), '[DONE]'],
      'provider_error',
      "'network_error'",
    ],
    ['a text error in a choice', [one, chunk({}, { finish_reason: 'stop', error: 'gone' })], 'provider_error', 'gone'],
    ['a text error in a delta', [one, chunk({ error: 'gone' }), finish(), '[DONE]'], 'provider_error', 'gone'],
    ['the number of a status as error', [one, { error: 429, message: 'slow' }, '[DONE]'], 'rate_limited', 'slow'],
    ['a list of errors', [one, finish(), { errors: [{ message: 'slow', code: 429 }] }], 'provider_error', 'slow'],
    ['a status and a message', [one, { statusCode: 503, message: 'busy' }, '[DONE]'], 'server_error', 'busy'],
    ['a code and a message', [one, { code: 1301, msg: 'busy', data: null }, '[DONE]'], 'provider_error', 'busy'],
    ['a status that is a word', [one, { status: 'error', message: 'busy' }, '[DONE]'], 'provider_error', 'busy'],
    ['a problem', [one, { type: 'about:blank', title: 'Busy', status: 429, detail: 'x' }], 'rate_limited', 'Busy'],
    ['an exception of a gateway', [one, { __type: 'ThrottlingException', message: 'slow' }], 'rate_limited', 'slow'],
    [
      'the status of a response inside',
      [one, { base_resp: { status_code: 1002, status_msg: 'slow' } }],
      'provider_error',
      'slow',
    ],
    ['a detail next to null', [one, { choices: null, detail: 'busy' }, '[DONE]'], 'provider_error', 'busy'],
    ['an event named exception', [one, ['Exception', '{"message":"busy"}'], '[DONE]'], 'provider_error', 'busy'],
    ['an error event without a text', [one, ['error', ''], finish(), '[DONE]'], 'provider_error', 'an error'],
    ['a text in an error event', [one, ['error', 'Overloaded']], 'provider_error', 'Overloaded'],
    ['nothing but a message', [{ message: 'Busy' }, '[DONE]'], 'provider_error', 'Busy'],
    ['nothing but a reason', [{ reason: 'Busy', data: null }, finish(), '[DONE]'], 'provider_error', 'Busy'],
    ['an event that is not JSON', [one, 'upstream gone'], 'malformed', "'upstream gone'"],
  ])('with %s failed, and quotes it', (_, events, outcome, quoted) => {
    const { verdict } = readEvents(streamed(), events);
    expect(verdict).toMatchObject({ outcome, reply: undefined });
    expect(verdict.detail).toContain(quoted);
  });
});

describe('a non-streamed completion', () => {
  const completion = (message: object, rest: object = {}): object => ({
    id: 'c',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    ...rest,
  });

  test('has a list of parts', () => {
    const message = { content: [{ type: 'thinking', thinking: [part('text', 'Hm')] }, part('text', 'one')] };
    expect(converse().read(wholeReply(200, completion(message)))).toMatchObject({
      outcome: 'ok',
      reply: { text: 'one', notes: [{ rule: 'content_parts' }] },
    });
  });

  test.each<[string, object, object]>([
    ['the text of the older API of completions', { text: 'one' }, { text: 'one', finish: 'complete' }],
    ['a delta instead of a message', { delta: { content: 'one' } }, { text: 'one' }],
    [
      'the single call of the older API',
      { message: { content: null, function_call: { name: 'f', arguments: '{}' } } },
      { text: '', toolCalls: [{ id: '', name: 'f', arguments: '{}' }] },
    ],
  ])('has %s', (_, choice, reply) => {
    const body = { id: 'c', choices: [{ finish_reason: 'stop', ...choice }] };
    const notes = [{ rule: 'old_form', detail: '' }];
    expect(converse().read(wholeReply(200, body))).toMatchObject({ outcome: 'ok', reply: { ...reply, notes } });
  });

  test.each<[unknown, string, string]>([
    [completion({ content: '' }, { error: 'busy' }), 'provider_error', 'busy'],
    [{ detail: 'Not now' }, 'provider_error', 'Not now'],
    [{ detail: [{ loc: ['body'], msg: 'Field required' }] }, 'provider_error', 'Field required'],
    [{ success: false, msg: 'busy' }, 'provider_error', 'busy'],
    [{ object: 'error', message: 'busy', code: 503 }, 'server_error', 'busy'],
    [{ choices: [{ message: { content: '', error: { message: 'busy', code: 503 } } }] }, 'provider_error', 'busy'],
    [completion({ content: '' }, { status: 'ok', errors: ['busy'] }), 'provider_error', 'busy'],
    [{ code: 1301, message: 'busy', data: null }, 'provider_error', 'busy'],
    ['Service Unavailable', 'malformed', "'Service Unavailable'"],
  ])('that is %j is %s', (body, outcome, quoted) => {
    const verdict = converse().read(wholeReply(200, body));
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.detail).toContain(quoted);
  });

  test.each([{ error: 'x' }, { error: {} }, { error: '' }, { detail: 'x' }])('with a text and %j is ok', (rest) =>
    expect(converse().read(wholeReply(200, completion({ content: 'one' }, rest))).outcome).toBe('ok'),
  );
});
