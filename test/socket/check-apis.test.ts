import { describe, expect, test } from 'vitest';
import { performCheck } from '../../src/app/check/perform-check.ts';
import { ruleSetOf } from '../../src/conformance/rule-set.ts';
import { ms } from '../../src/base/time.ts';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import { resolveScenario, type ResolvedScenario } from '../../src/plan/resolve-scenario.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { openService } from '../support/reference-client.ts';
import {
  openSpoiledApi,
  type ApiEvent,
  type ApiRequest,
  type ApiResponse,
  type ApiSpoiling,
} from '../support/spoiling-api.ts';

const { agentId, apiKey } = embeddedDefaults;
const apis = ['openai-chat', 'openai-responses', 'anthropic-messages'] as const;
type Api = (typeof apis)[number];

const resolved = (protocol: Api, baseUrl: string): ResolvedScenario =>
  resolveScenario(
    { name: 'c', sessions: 1, messages: ['Hi'], timeout: '5s', target: { baseUrl, agentId, apiKey, protocol } },
    { flags: {}, environment: {} },
  );

const checkAt = (protocol: Api, baseUrl: string): Promise<CheckDocument> =>
  performCheck({
    resolved: resolved(protocol, baseUrl),
    scenario: undefined,
    needs: {
      chatOffAgentId: undefined,
      wrongKindKey: undefined,
      variable: undefined,
      words: { remember: questions.remember, recall: questions.recall },
    },
    pauseMs: ms(0),
  });

async function check(protocol: Api, spoiling: ApiSpoiling, faults: Faults = []): Promise<CheckDocument> {
  const { baseUrl } = await openService({ stream: { gap: '1ms' }, faults });
  return checkAt(protocol, await openSpoiledApi(baseUrl, spoiling));
}

type Faults = NonNullable<EmbeddedOptions['faults']>;

const idsOf = ({ rules }: CheckDocument, ...verdicts: string[]): string[] =>
  rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
const ruleIds = async (api: Api): Promise<string[]> =>
  (await ruleSetOf(resolved(api, 'http://127.0.0.1:9'))).rules.map(({ id }) => id);

type Fields = Record<string, unknown>;
type Change = (fields: Fields, asked: ApiRequest) => unknown;

/** Spoils good whole replies. */
const inReply = (change: Change): ApiSpoiling => ({
  onReturn: (back, asked) => {
    if (back.status === 200) change(back.body as Fields, asked);
  },
});
const inBack = (change: (back: ApiResponse, asked: ApiRequest) => void): ApiSpoiling => ({
  onReturn: (back, asked) => {
    if (back.status === 200) change(back, asked);
  },
});
/** Spoils refusals that a test picks out. */
const refusing = (
  picks: (asked: ApiRequest) => boolean,
  change: (back: ApiResponse, asked: ApiRequest) => void,
): ApiSpoiling => ({
  onReturn: (back, asked) => {
    if (back.status >= 400 && picks(asked)) change(back, asked);
  },
});
/** Spoils events that a test picks out. */
const inEvents = (
  picks: (event: ApiEvent, fields: Fields) => boolean,
  spoil: (event: ApiEvent, fields: Fields) => readonly ApiEvent[],
): ApiSpoiling => ({
  onEvent: (event) => {
    const fields = membersOf(event);
    return picks(event, fields) ? spoil(event, fields) : [event];
  },
});
const membersOf = ({ data }: ApiEvent): Fields => (typeof data === 'string' ? {} : (data as Fields));
const ofType =
  (type: string) =>
  (event: ApiEvent): boolean =>
    event.type === type;
const at = (value: unknown, ...path: (string | number)[]): Fields =>
  path.reduce<unknown>((inner, name) => (inner as Record<string | number, unknown>)[name], value) as Fields;
const isLimited = ({ fields }: ApiRequest): boolean =>
  [fields['max_tokens'], fields['max_output_tokens']].some((limit) => limit === 3 || limit === 16);
const isUnknown = ({ fields }: ApiRequest): boolean => String(fields['model']).startsWith('chat-load-check');
const isMade = ({ key }: ApiRequest): boolean => key.startsWith('chat-load-check');
const put =
  (status: number) =>
  (back: ApiResponse): void => {
    back.status = status;
  };
const lacks =
  (name: string) =>
  ({ fields, body }: ApiRequest): boolean =>
    body.endsWith('}') && !(name in fields);
const asksToRecall = ({ body }: ApiRequest): boolean => body.includes(questions.recall);

type Breakage = readonly [id: string, spoil: () => ApiSpoiling];

/** Loses the message that follows one whose client disconnected. */
function breakingAfterLeaving(): ApiSpoiling {
  let limited = 0;
  const isLong = ({ body }: ApiRequest): boolean => body.includes('count from one');
  return {
    onWay: (asked) => {
      if (isLong(asked) && !isLimited(asked)) limited++;
      const isNext = limited > 0 && !isLong(asked);
      if (isNext) limited = -1000;
      return isNext
        ? {
            status: 400,
            contentType: 'application/json',
            body: { type: 'error', error: { type: 'busy', message: 'Busy' } },
          }
        : undefined;
    },
  };
}

/** Members of whole replies and of refusals. */
const shared = (kind: string, finish: (reply: Fields, value: string) => unknown, cutOff: string): Breakage[] => [
  ['status', () => inBack(put(201))],
  ['json', () => inBack((back) => (back.body = 'Fine, thanks.'))],
  ['content-type', () => inBack((back) => (back.contentType = 'text/html'))],
  [kind, () => inReply((reply) => (reply[kind] = 'answer'))],
  ['id', () => inReply((reply) => (reply['id'] = ''))],
  ['id-distinct', () => inReply((reply) => (reply['id'] = 'always'))],
  ['model', () => inReply((reply) => (reply['model'] = null))],
  ['finish', () => inReply((reply, asked) => !isLimited(asked) && finish(reply, 'done'))],
  ['limit', () => inReply((reply, asked) => isLimited(asked) && finish(reply, cutOff))],
  ['usage', () => inReply((reply) => (reply['usage'] = { tokens: 3 }))],
  ['key-wrong', () => refusing(isMade, put(403))],
  ['key-missing', () => refusing(({ hasKey }) => !hasKey, put(400))],
  ['model-unknown', () => refusing((asked) => isUnknown(asked) && asked.fields['stream'] !== true, put(422))],
  ['not-json', () => refusing(({ body }) => !body.endsWith('}'), put(422))],
  ['model-missing', () => refusing(lacks('model'), put(422))],
  [
    'stream-refusal',
    () => ({
      onWay: (asked) =>
        isUnknown(asked) && asked.fields['stream'] === true
          ? { status: 200, contentType: 'text/event-stream', body: 'data: {"error":{"message":"No such model"}}\n\n' }
          : undefined,
    }),
  ],
  ['error-shape', () => refusing(isUnknown, (back) => (back.body = { error: 'No such model' }))],
  ['stream-type', () => ({ streamType: 'text/plain' })],
  ['stream-whole', () => ({ end: 'break' })],
  ['stream-unbuffered', () => ({ gathers: true })],
  ['leaving', breakingAfterLeaving],
  ['stream-begins', () => ({ onEvent: () => [] })],
];

/** Faults common to both OpenAI APIs. */
const openai: Breakage[] = [['usage-total', () => inReply((reply) => (at(reply, 'usage')['total_tokens'] = 1))]];

/** The model is asked for another tag than the client requested. */
const otherTag = (): ApiSpoiling => ({
  onWay: (asked) => {
    if (asked.fields['stream'] === true)
      asked.body = asked.body.replace(/Repeat this tag: \w+/, 'Repeat this tag: none');
    return undefined;
  },
});

/** Changes the event with the finish reason, either of limited replies or of the others. */
const inEnding = (
  whose: 'limited' | 'others',
  picks: (fields: Fields) => boolean,
  spoil: (fields: Fields) => void,
): ApiSpoiling => ({
  onEvent: (event, asked) => {
    const fields = membersOf(event);
    if (isLimited(asked) === (whose === 'limited') && picks(fields)) spoil(fields);
    return [event];
  },
});

const firstChoice = (fields: Fields): Fields | undefined => (fields['choices'] as Fields[] | undefined)?.[0];
const isFinish = (fields: Fields): boolean => typeof firstChoice(fields)?.['finish_reason'] === 'string';
const isUsage = (fields: Fields): boolean => 'choices' in fields && firstChoice(fields) === undefined;
const isChatDone = ({ data }: ApiEvent): boolean => data === '[DONE]';
const isResponseEnd = ({ type }: Fields): boolean => type === 'response.completed' || type === 'response.incomplete';
const isOutcome = ({ type }: Fields): boolean => type === 'message_delta';
const garbage: ApiEvent = { type: '', data: 'over' };

const broken: Record<Api, Breakage[]> = {
  'openai-chat': [
    ...shared('object', (reply, value) => (at(reply, 'choices', 0)['finish_reason'] = value), 'stop'),
    ...openai,
    ['created', () => inReply((reply) => (reply['created'] = Date.now()))],
    ['content', () => inReply((reply) => (at(reply, 'choices', 0, 'message')['content'] = 5))],
    ['role', () => inReply((reply) => (at(reply, 'choices', 0, 'message')['role'] = 'bot'))],
    [
      'memory',
      () =>
        inReply(
          (reply, asked) => asksToRecall(asked) && (at(reply, 'choices', 0, 'message')['content'] = 'Who knows?'),
        ),
    ],
    ['messages-missing', () => refusing(lacks('messages'), put(422))],
    ['stream-json', () => inEvents(isChatDone, (event) => [garbage, event])],
    ['stream-text', otherTag],
    [
      'stream-finish',
      () => inEnding('others', isFinish, (fields) => (at(fields, 'choices', 0)['finish_reason'] = 'done')),
    ],
    [
      'stream-limit',
      () => inEnding('limited', isFinish, (fields) => (at(fields, 'choices', 0)['finish_reason'] = 'stop')),
    ],
    [
      'stream-usage',
      () =>
        inEvents(
          (_, fields) => isUsage(fields),
          () => [],
        ),
    ],
    [
      'stream-object',
      () =>
        inEvents(
          (_, fields) => isFinish(fields),
          (event, fields) => [{ ...event, data: { ...fields, object: 'chunk' } }],
        ),
    ],
    [
      'stream-id',
      () =>
        inEvents(
          (_, fields) => isFinish(fields),
          (event, fields) => [{ ...event, data: { ...fields, id: 'chatcmpl-2' } }],
        ),
    ],
    [
      'stream-role',
      () =>
        inEvents(
          (_, fields) => firstChoice(fields) !== undefined,
          (event, fields) => {
            delete at(fields, 'choices', 0, 'delta')['role'];
            return [event];
          },
        ),
    ],
    [
      'stream-end',
      () =>
        inEvents(
          (_, fields) => isFinish(fields),
          (event) => [event, event],
        ),
    ],
    ['stream-done', () => inEvents(isChatDone, () => [])],
  ],
  'openai-responses': [
    ...shared('object', (reply, value) => (reply['status'] = value), 'completed').filter(
      ([id]) => id !== 'id-distinct',
    ),
    ...openai,
    ['id-distinct', sameIds],
    ['created_at', () => inReply((reply) => (reply['created_at'] = '2026-01-01'))],
    ['content', () => inReply((reply) => (at(reply, 'output', 0)['content'] = 'Hello'))],
    ['role', () => inReply((reply) => (at(reply, 'output', 0)['role'] = 'bot'))],
    [
      'memory',
      () =>
        inReply((reply, asked) => asksToRecall(asked) && (at(reply, 'output', 0, 'content', 0)['text'] = 'Who knows?')),
    ],
    ['input-missing', () => refusing(lacks('input'), put(422))],
    [
      'previous-unknown',
      () => ({
        onWay: (asked) => {
          if (String(asked.fields['previous_response_id']).startsWith('resp_QX'))
            asked.body = JSON.stringify({ ...asked.fields, previous_response_id: undefined });
          return undefined;
        },
      }),
    ],
    [
      'stream-json',
      () =>
        inEvents(
          (_, fields) => isResponseEnd(fields),
          (event) => [garbage, event],
        ),
    ],
    ['stream-names', () => inEvents(ofType('response.in_progress'), (event) => [{ ...event, type: 'progress' }])],
    ['stream-text', otherTag],
    ['stream-finish', () => inEnding('others', isResponseEnd, (fields) => (at(fields, 'response')['status'] = 'done'))],
    [
      'stream-limit',
      () => inEnding('limited', isResponseEnd, (fields) => (at(fields, 'response')['status'] = 'completed')),
    ],
    ['stream-usage', () => inEnding('others', isResponseEnd, (fields) => (at(fields, 'response')['usage'] = null))],
    ['stream-first', () => inEvents(ofType('response.created'), () => [])],
    [
      'stream-id',
      () =>
        inEvents(ofType('response.in_progress'), (event, fields) => [
          { ...event, data: { ...fields, response: { id: 'resp_2' } } },
        ]),
    ],
    [
      'sequence',
      () =>
        inEvents(ofType('response.in_progress'), (event, fields) => [
          { ...event, data: { ...fields, sequence_number: 7 } },
        ]),
    ],
    [
      'stream-items',
      () =>
        inEvents(ofType('response.output_item.done'), (event, fields) => [
          { ...event, data: { ...fields, output_index: 5 } },
        ]),
    ],
    [
      'stream-end',
      () =>
        inEvents(
          (_, fields) => isResponseEnd(fields),
          (event, { sequence_number: number }) => [
            event,
            { type: 'response.late', data: { type: 'response.late', sequence_number: Number(number) + 1 } },
          ],
        ),
    ],
    [
      'stream-repeats',
      () =>
        inEvents(ofType('response.output_text.done'), (event, fields) => [
          { ...event, data: { ...fields, text: 'Other' } },
        ]),
    ],
  ],
  'anthropic-messages': [
    ...shared('type', (reply, value) => (reply['stop_reason'] = value), 'end_turn'),
    ['content', () => inReply((reply) => (reply['content'] = 'Hello'))],
    ['role', () => inReply((reply) => (reply['role'] = 'bot'))],
    [
      'memory',
      () => inReply((reply, asked) => asksToRecall(asked) && (at(reply, 'content', 0)['text'] = 'Who knows?')),
    ],
    ['messages-missing', () => refusing(lacks('messages'), put(422))],
    ['max_tokens-missing', () => refusing(lacks('max_tokens'), put(422))],
    ['stream-json', () => inEvents(ofType('message_stop'), (event) => [garbage, event])],
    ['stream-names', () => inEvents(ofType('ping'), (event) => [{ ...event, type: 'pong' }])],
    ['stream-text', otherTag],
    ['stream-finish', () => inEnding('others', isOutcome, (fields) => (at(fields, 'delta')['stop_reason'] = 'done'))],
    [
      'stream-limit',
      () => inEnding('limited', isOutcome, (fields) => (at(fields, 'delta')['stop_reason'] = 'end_turn')),
    ],
    ['stream-usage', () => inEnding('others', isOutcome, (fields) => (fields['usage'] = {}))],
    ['stream-first', () => inEvents(ofType('message_start'), (event) => [event, event])],
    [
      'stream-message',
      () =>
        inEvents(ofType('message_start'), (event, fields) => [
          { ...event, data: { ...fields, message: { ...at(fields, 'message'), id: '' } } },
        ]),
    ],
    [
      'stream-blocks',
      () => inEvents(ofType('content_block_stop'), (event, fields) => [{ ...event, data: { ...fields, index: 9 } }]),
    ],
    ['stream-delta', swappedOutcome],
    ['stream-end', () => inEvents(ofType('message_stop'), (event) => [event, event])],
  ],
};

/** Every response has one id, and is found by it. */
function sameIds(): ApiSpoiling {
  let id: unknown;
  return {
    onWay: (asked) => {
      asked.body = asked.body.replace('"always"', JSON.stringify(id));
      return undefined;
    },
    onReturn: ({ status, body }) => {
      if (status !== 200) return;
      id = (body as Fields)['id'];
      (body as Fields)['id'] = 'always';
    },
  };
}

/** The end of a block follows the end of its message. */
function swappedOutcome(): ApiSpoiling {
  let held: ApiEvent[] = [];
  return {
    onEvent: (event) => {
      if (event.type === 'content_block_stop') held = [event];
      if (event.type === 'content_block_stop') return [];
      if (event.type !== 'message_delta') return [event];
      return [event, ...held];
    },
  };
}

/** Usage in the last chunk with a choice, as many services with the same API send it. */
function usageBesideChoice(): ApiSpoiling {
  let held: ApiEvent | undefined;
  return {
    onEvent: (event) => {
      const fields = membersOf(event);
      if (isFinish(fields)) held = event;
      if (held === event) return [];
      if (held === undefined || !isUsage(fields)) return [event];
      const both = { ...held, data: { ...membersOf(held), usage: fields['usage'] } };
      held = undefined;
      return [both];
    },
  };
}

describe('the rules of the models’ APIs', () => {
  test.each(apis)('of %s all pass against the reference service', async (api) => {
    const found = await check(api, {});
    expect(found.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(idsOf(found, 'pass')).toEqual(await ruleIds(api));
    expect(found.exchanges).toBeLessThanOrEqual(20);
  });

  describe.each(apis)('rules of %s', (api) => {
    test.each([...broken[api]])('%s is reported as broken if only it is broken', async (id, spoil) => {
      const found = await check(api, spoil());
      expect(
        found.rules
          .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
          .map(({ id: i, seen }) => [i, seen]),
      ).toEqual([[id, expect.any(String)]]);
    });
  });

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
