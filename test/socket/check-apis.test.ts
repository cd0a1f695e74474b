import { describe, expect, test } from 'vitest';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { usageBesideChoice } from '../gallery/broken/openai-chat.ts';
import { at, inReply } from '../gallery/broken/spoil.ts';
import { checkAt, idsOf } from '../support/check-at.ts';
import { openService } from '../support/reference-client.ts';
import { openSpoiledApi, type ApiSpoiling } from '../support/spoiling-api.ts';

type Api = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

async function check(api: Api, spoiling: ApiSpoiling, faults: Faults = []): Promise<CheckDocument> {
  const { baseUrl } = await openService({ stream: { gap: '1ms' }, faults });
  return checkAt(api, await openSpoiledApi(baseUrl, spoiling));
}

type Faults = NonNullable<EmbeddedOptions['faults']>;

describe('the rules of the models’ APIs', () => {
  test('wait for the first event within the timeout, and then check the remaining ones', async () => {
    const found = await check('openai-chat', { onEvent: () => [], end: 'hang' });
    expect(idsOf(found, 'fail', 'warn')).toEqual(['stream-begins']);
    const seen = found.rules.find(({ id }) => id === 'stream-begins')?.seen;
    expect(seen).toBe('no event within 5000 ms');
    expect(idsOf(found, 'pass')).toEqual(expect.arrayContaining(['key-wrong', 'error-shape']));
  });

  test.each<[Api, Faults[number], string[]]>([
    ['openai-chat', { kind: 'stream_no_done' }, ['stream-done']],
    ['openai-responses', { kind: 'stream_drop', afterEvents: 1 }, ['stream-text', 'sequence', 'stream-repeats']],
    [
      'anthropic-messages',
      { kind: 'stream_end', afterEvents: 1 },
      ['stream-text', 'stream-finish', 'stream-usage', 'stream-limit', 'stream-blocks', 'stream-delta', 'stream-end'],
    ],
  ])('of %s detect the fault %j of the reference service', async (api, fault, ids) => {
    const found = await check(api, {}, [fault]);
    expect(idsOf(found, 'fail', 'warn')).toEqual(ids);
  });

  test('take usage in a chunk that has a choice, too', async () => {
    const found = await check('openai-chat', usageBesideChoice());
    expect(found.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
  });

  test('warn of a service that gathers its events', async () => {
    const { baseUrl } = await openService({ faults: [{ kind: 'stream_buffered' }] });
    const found = await checkAt('anthropic-messages', baseUrl);
    expect([idsOf(found, 'warn'), idsOf(found, 'fail')]).toEqual([['stream-unbuffered'], []]);
  });

  test.each<[string, number, string, string]>([
    ['an error of two events', 500, 'data: {"n":1}\n\ndata: {"n":2}\n\n', 'was not answered: 500, 2 events'],
    ['an error of one event', 500, 'data: {"n":1}\n\n', 'was not answered: 500, 1 event'],
    ['a stream without events', 200, ': nothing\n\n', 'returned no events: 200, 0 events'],
  ])('on events report why they cannot be checked: %s', async (_, status, body, words) => {
    const contentType = 'text/event-stream';
    const found = await check('openai-chat', {
      onWay: ({ fields }) => (fields['stream'] === true ? { status, contentType, body } : undefined),
    });
    const { seen } = found.rules.find(({ id }) => id === 'stream-json') ?? {};
    expect(seen).toBe(`a streamed message ${words}`);
  });

  test('on texts are not tried with a model that does not repeat the requested text', async () => {
    const found = await check('openai-chat', {
      ...inReply((reply) => (at(reply, 'choices', 0, 'message')['content'] = 'Our opening hours are 9 to 5.')),
    });
    expect([idsOf(found, 'skipped'), idsOf(found, 'fail', 'warn')]).toEqual([['memory', 'stream-text'], []]);
  });

  test('are followed by a remedy if the model or the path is unknown', async () => {
    const refuse = (message: string): ApiSpoiling => ({
      onWay: () => ({
        status: 404,
        contentType: 'application/json',
        body: { error: { message, type: 'invalid_request_error', code: message === '' ? null : 'model_not_found' } },
      }),
    });
    const [model, path] = await Promise.all(
      ['No such model', ''].map((message) => check('openai-chat', refuse(message))),
    );
    expect([model?.remedy, path?.remedy]).toEqual([
      expect.stringContaining('--agent-id'),
      expect.stringContaining('leads to the chat API'),
    ]);
    expect(model?.counts).toMatchObject({ tried: 0, failed: 0 });
    expect(model?.rules.find(({ id }) => id === 'status')?.seen).toMatch(/was not answered: 404 "No such model"/);
  });
});
