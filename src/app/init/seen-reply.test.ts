import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ContactResponse } from '../../conformance/contact/contact.ts';
import { givenScenario } from './given-scenario.ts';
import { readCurl } from './read-curl.ts';
import { replyPlaces } from './reply-places.ts';
import { readTrial, seenReply } from './seen-reply.ts';

const shipped = readFileSync(new URL('../../../scenarios/agent.ts', import.meta.url), 'utf8');
const api = readCurl(`curl h/chat -d '{"message":"Hi"}'`);
const response = (contentType: string, body: string) =>
  ({ status: 200, contentType, body, fields: [] }) as unknown as ContactResponse;

describe('an error in the trial', () => {
  const sse = (...lines: readonly string[]) =>
    response('text/event-stream', lines.map((line) => `${line}\n\n`).join(''));
  const trialOf = (given: Parameters<typeof seenReply>[0]) => {
    const seen = seenReply(given);
    if (seen === undefined) throw new Error('no reply');
    return readTrial(seen);
  };

  test.each([
    ['an event of its type', 'event: error\ndata: {"message":"quota exceeded"}'],
    ['an event with its field', 'data: {"error":"quota exceeded"}'],
    ['an event of its kind', 'data: {"type":"run_error","message":"quota exceeded"}'],
    ['a nested error', 'data: {"error":{"message":"quota exceeded","code":429}}'],
  ])('shows the format of a stream, and no text: %s', (_, line) => {
    const { reply, error } = trialOf(sse(line));
    expect([reply, error]).toEqual([{ format: 'sse', events: [], isCut: true }, 'an error: quota exceeded']);
    const { text, stream } = givenScenario({ ...api, reply, failure: error }, shipped);
    expect(text).toContain("stream: { format: 'sse', text: 'path.to.value', end: 'close' }");
    expect(stream).toBe(true);
  });

  test.each([['{"error":{"message":"quota exceeded"}}'], ['{"detail":"quota exceeded"}']])(
    'is not a reply: %s',
    (body) => {
      expect(trialOf(response('application/json', body))).toEqual({
        reply: undefined,
        error: 'an error: quota exceeded',
      });
    },
  );

  test('after texts hides the end of the stream, not the texts', () => {
    const { reply, error } = trialOf(
      sse('data: {"type":"token","text":"Hel"}', 'data: {"type":"error","message":"quota exceeded"}'),
    );
    expect(error).toBe('an error: quota exceeded');
    const places = reply && replyPlaces(reply, { sent: 'Hi', hasSession: false });
    expect(places?.fields['stream']).toMatchObject({ end: 'close' });
  });

  test.each([
    ['{"reply":"Here.","error":null}'],
    ['{"reply":"Here.","error":""}'],
    ['{"reply":"Here.","detail":"from the index"}'],
  ])('is not stated by %s', (body) => {
    expect(trialOf(response('application/json', body)).error).toBeUndefined();
  });
});
