import { describe, expect, test } from 'vitest';
import { openService, post } from '../support/reference-client.ts';
import { piecesIn, postStream, streamBodies, streamPaths, type SentEvent } from '../support/stream-client.ts';

const textTypes = (events: readonly SentEvent[]): string[] =>
  events.map(({ type, data }) => (type === '' ? chunkKind(data) : type));

function chunkKind(data: SentEvent['data']): string {
  if (data.text !== undefined) return data.text;
  const [choice] = data['choices'] as { delta: object; finish_reason: string | null }[];
  if (choice === undefined) return 'usage';
  return choice.finish_reason ?? (Object.keys(choice.delta)[0] || 'nothing');
}

test.each(streamPaths)(
  '%s: a streamed reply equals the non-streamed reply, word by word, with the same usage',
  async (path) => {
    const { baseUrl, stats } = await openService();
    const body = streamBodies[path](
      'Repeat this tag: T7 – é',
      path === '/v1/chat/completions' ? { stream_options: { include_usage: true } } : {},
    );
    const { head, events, isWhole } = await postStream(baseUrl, path, body);
    expect(head).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-type: text\/event-stream; charset=utf-8\r\n/i);
    expect(isWhole).toBe(true);
    const pieces = piecesIn(events);
    const whole = (await post(baseUrl, { path, body: { ...body, stream: false } })).text;
    expect(whole).toContain(JSON.stringify(pieces.join('')).slice(1, -1));
    expect(pieces.slice(0, 2)).toEqual(['Tag:', ' T7']);
    const output = /"(?:output|completion)_tokens":(\d+)/g;
    const told = JSON.stringify(events).match(output)?.at(-1);
    expect([told, whole.match(output)?.[0]]).toEqual([told, told]);
    expect(told?.endsWith(`:${String(pieces.length)}`)).toBe(true);
    expect(stats().streams).toMatchObject({
      begun: 1,
      completed: 1,
      contentEvents: pieces.length,
      firstToken: { count: 1 },
    });
    expect(stats().messages.classes.ok).toBe(2);
  },
);

describe('the events arrive in the order of the API', () => {
  test('chat completions', async () => {
    const { baseUrl } = await openService({ stream: { events: 3, reasoning: 2 } });
    const ask = async (more: object) =>
      textTypes(
        (await postStream(baseUrl, '/v1/chat/completions', streamBodies['/v1/chat/completions']('Hi', more))).events,
      );
    const content = ['role', 'reasoning_content', 'reasoning_content', 'content', 'content', 'content', 'stop'];
    expect(await ask({})).toEqual([...content, '[DONE]']);
    expect(await ask({ stream_options: { include_usage: true } })).toEqual([...content, 'usage', '[DONE]']);
    expect(await ask({ max_tokens: 3 })).toEqual([...content.slice(0, 4), 'length', '[DONE]']);
  });

  test('responses, each with its number', async () => {
    const { baseUrl } = await openService({ stream: { events: 2, reasoning: 1 } });
    const { events } = await postStream(baseUrl, '/v1/responses', streamBodies['/v1/responses']('Hi'));
    expect(textTypes(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, index) => index));
    expect(events.every(({ type, data }) => data['type'] === type)).toBe(true);
  });

  test('messages', async () => {
    const { baseUrl } = await openService({ stream: { events: 2, reasoning: 1 } });
    const { events } = await postStream(baseUrl, '/v1/messages', streamBodies['/v1/messages']('Hi'));
    expect(textTypes(events)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });
});

test('a streamed response can be continued, by its id and in its conversation', async () => {
  const { baseUrl } = await openService();
  const ask = (input: string, more: object) =>
    postStream(baseUrl, '/v1/responses', streamBodies['/v1/responses'](input, more));
  const { events } = await ask('Remember this code: QX1', {});
  const { id } = events[0]?.data['response'] as { id: string };
  const recalled = await ask('Which code did I tell you?', { previous_response_id: id });
  expect(piecesIn(recalled.events).join('')).toMatch(/^The code you told me is QX1 /);
});
