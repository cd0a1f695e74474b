import { describe, expect, test } from 'vitest';
import { openDefined, over, streamed } from '../../../test/support/defined-lab.ts';
import { saying, wholeReply } from '../../../test/support/stream-events.ts';
import type { ApiDefinition } from './definition.ts';

/** A definition without rules for errors. */
const definition: ApiDefinition = {
  message: { path: '/ask', body: ({ message }) => ({ message }) },
  reply: { text: 'text' },
  stream: { format: 'sse', end: 'done' },
};

type Events = Parameters<typeof streamed>[1];

function readEvents(events: Events, stream: ApiDefinition['stream'] = definition.stream) {
  const talk = openDefined({ ...definition, stream }, { stream: true }).converse('');
  return talk.read(over(streamed(talk.request(saying('Hi')), events).stream));
}

describe('an error that the definition does not describe', () => {
  test.each<[unknown, string, string]>([
    [{ error: 'No model' }, 'provider_error', 'No model'],
    [{ error: { code: 429, message: 'Slow down' } }, 'rate_limited', 'Slow down'],
    [{ detail: 'Session expired' }, 'provider_error', 'Session expired'],
    [{ success: false, msg: 'busy' }, 'provider_error', 'busy'],
    [{ object: 'error', message: 'No', code: 400 }, 'bad_request', 'No'],
    [{ text: '', error: 'busy' }, 'provider_error', 'busy'],
    [{ text: ' ', success: false, message: 'busy' }, 'provider_error', 'busy'],
    [{ code: 50_001, message: 'busy', data: null }, 'provider_error', 'busy'],
  ])('in the place of a reply fails it: %j is %s', (body, outcome, quoted) => {
    const verdict = openDefined(definition).converse('').read(wholeReply(200, body));
    expect(verdict).toMatchObject({ outcome, detail: expect.stringContaining(quoted) });
  });

  test.each<[object, string]>([
    [{ success: false, text: 'Sorry' }, 'provider_error'],
    [{ ok: false, text: 'Sorry' }, 'provider_error'],
    [{ error: true, text: 'Sorry' }, 'provider_error'],
    [{ status: 'error', text: 'Sorry' }, 'provider_error'],
    [{ error_code: 500, text: 'Sorry' }, 'server_error'],
    [{ type: 'error', text: 'Sorry' }, 'provider_error'],
  ])('by a sign that only errors have fails a reply with a text, and an event: %j', (body, outcome) => {
    const expected = { outcome, detail: expect.stringContaining('Sorry') as string };
    expect(openDefined(definition).converse('').read(wholeReply(200, body))).toMatchObject(expected);
    expect(readEvents(['{"text":"Hel"}', JSON.stringify(body), '{"done":true}'])).toMatchObject(expected);
    const own = { ...definition, errors: () => undefined };
    expect(openDefined(own).converse('').read(wholeReply(200, body)).outcome).toBe('ok');
    const stream = { format: 'sse', end: 'done', error: () => undefined } as const;
    expect(readEvents(['{"text":"Hel"}', JSON.stringify(body), '{"done":true}'], stream).outcome).toBe('ok');
  });

  test.each([
    { text: 'Hi', success: true, status: 'success', error_code: 0 },
    { text: 'Hi', status: 404, code: 500 },
    { text: 'Hi', error: 'x' },
    { text: 'Hi', detail: 'x' },
    { text: 'Hi', error: {} },
  ])('next to a text is none: %j', (body) =>
    expect(openDefined(definition).converse('').read(wholeReply(200, body)).outcome).toBe('ok'),
  );

  test.each<[Events, string, string]>([
    [['{"text":"Hel"}', '{"error":"It broke"}'], 'provider_error', 'It broke'],
    [['{"text":"Hel"}', ['error', '{"status_code":500,"message":"It broke"}']], 'server_error', 'It broke'],
    [['{"text":"Hel"}', ['error', 'It broke']], 'provider_error', 'It broke'],
    [['{"detail":"It broke"}'], 'provider_error', 'It broke'],
    [['{"text":"Hel"}', '{"done":true,"error":"It broke"}'], 'provider_error', 'It broke'],
    [
      ['{"text":"Hel","done":true}', '{"errorCode":"RESOURCE_EXHAUSTED","errorMessage":"It broke"}'],
      'provider_error',
      'It broke',
    ],
    [['{"text":"Hel"}', '{"event":"error","status":429,"message":"It broke"}'], 'rate_limited', 'It broke'],
    [['{"text":"Hel"}', ['error', '']], 'provider_error', 'an error'],
    [['{"text":"Hel"}', 'It broke'], 'malformed', "'It broke'"],
  ])('in an event fails the reply: %j is %s', (events, outcome, quoted) =>
    expect(readEvents(events)).toMatchObject({ outcome, detail: expect.stringContaining(quoted) }),
  );

  test('is no progress with a detail', () => {
    const begun: Events = ['{"status":"search","detail":"Searching"}', ['ping', 'now'], ' ', '{"text":"Hi"}'];
    const end = '{"done":true,"detail":"3 s","message":"finished"}';
    expect(readEvents([...begun, end])).toMatchObject({ outcome: 'ok', reply: { text: 'Hi' } });
  });

  test('in an event of text is not its text', () => {
    const stream = { format: 'sse', data: 'text', end: '[DONE]' } as const;
    expect(readEvents(['Hel', ['error', 'It broke']], stream)).toMatchObject({ outcome: 'provider_error' });
    expect(readEvents(['Hel', '{"detail":"It broke"}'], stream)).toMatchObject({ outcome: 'provider_error' });
    const events: Events = ['Hel', ['ping', '2026-01-01'], 'lo', '[DONE]'];
    expect(readEvents(events, stream)).toMatchObject({ outcome: 'ok', reply: { text: 'Hello' } });
  });
});
