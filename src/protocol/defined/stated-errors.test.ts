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

function readEvents(events: Parameters<typeof streamed>[1], stream: ApiDefinition['stream'] = definition.stream) {
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
  ])('in the place of a reply fails it: %j is %s', (body, outcome, quoted) => {
    const verdict = openDefined(definition).converse('').read(wholeReply(200, body));
    expect(verdict).toMatchObject({ outcome, detail: expect.stringContaining(quoted) });
  });

  test.each([
    { text: 'Hi', error: 'x' },
    { text: 'Hi', detail: 'x' },
    { text: 'Hi', error: {} },
  ])('next to a text is none: %j', (body) =>
    expect(openDefined(definition).converse('').read(wholeReply(200, body)).outcome).toBe('ok'),
  );

  test.each<[Parameters<typeof streamed>[1], string, string]>([
    [['{"text":"Hel"}', '{"error":"It broke"}'], 'provider_error', 'It broke'],
    [['{"text":"Hel"}', ['error', '{"status_code":500,"message":"It broke"}']], 'provider_error', 'It broke'],
    [['{"text":"Hel"}', ['error', 'It broke']], 'provider_error', 'It broke'],
    [['{"detail":"It broke"}'], 'provider_error', 'It broke'],
    [['{"text":"Hel"}', 'It broke'], 'malformed', "'It broke'"],
  ])('in an event fails the reply: %j is %s', (events, outcome, quoted) =>
    expect(readEvents(events)).toMatchObject({ outcome, detail: expect.stringContaining(quoted) }),
  );

  test('is no progress with a detail', () => {
    const events = ['{"status":"search","detail":"Searching"}', '{"text":"Hi","done":true}'];
    expect(readEvents(events)).toMatchObject({ outcome: 'ok', reply: { text: 'Hi' } });
  });

  test('in an event of text is not its text', () => {
    const stream = { format: 'sse', data: 'text', end: '[DONE]' } as const;
    expect(readEvents(['Hel', ['error', 'It broke']], stream)).toMatchObject({ outcome: 'provider_error' });
    expect(readEvents(['Hel', 'lo', '[DONE]'], stream)).toMatchObject({ outcome: 'ok', reply: { text: 'Hello' } });
  });
});
