import { describe, expect, test } from 'vitest';
import { performCheck } from '../../src/app/check/perform-check.ts';
import { ruleSetOf } from '../../src/app/check/rule-sets.ts';
import { ms } from '../../src/base/time.ts';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import { settle, type Settled } from '../../src/plan/settle.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
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

const settled = (protocol: Api, baseUrl: string): Settled =>
  settle(
    { name: 'c', sessions: 1, messages: ['Hi'], timeout: '1s', target: { baseUrl, agentId, apiKey, protocol } },
    { flags: {}, environment: {} },
  );

async function check(protocol: Api, spoiling: ApiSpoiling): Promise<CheckDocument> {
  const { baseUrl } = await openService({ stream: { gap: '1ms' } });
  return performCheck({
    settled: settled(protocol, await openSpoiledApi(baseUrl, spoiling)),
    scenario: undefined,
    needs: {
      chatOffAgentId: undefined,
      wrongKindKey: undefined,
      variable: undefined,
      words: { remember: questions.remember, recall: questions.recall },
    },
    pauseMs: ms(0),
  });
}

const idsOf = ({ rules }: CheckDocument, ...verdicts: string[]): string[] =>
  rules.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
const ruleIds = (api: Api): string[] => ruleSetOf(settled(api, 'http://127.0.0.1:9')).rules.map(({ id }) => id);

type Fields = Record<string, unknown>;
type Change = (fields: Fields, asked: ApiRequest) => void;

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
  spoil: (event: ApiEvent, fields: Fields) => readonly ApiEvent[] | undefined | void,
): ApiSpoiling => ({
  onEvent: (event) => {
    const fields = typeof event.data === 'string' ? {} : (event.data as Fields);
    return picks(event, fields) ? (spoil(event, fields) ?? [event]) : [event];
  },
});
const ofType =
  (type: string) =>
  (event: ApiEvent): boolean =>
    event.type === type;
/** The picked ones do not come at once, but behind the first of another kind. */
function later(picks: (event: ApiEvent) => boolean, behind: (event: ApiEvent) => boolean): ApiSpoiling {
  let held: ApiEvent[] = [];
  return {
    onEvent: (event, _, index) => {
      if (index === 0) held = [];
      if (picks(event)) {
        held.push(event);
        return [];
      }
      if (!behind(event)) return [event];
      const all = [event, ...held];
      held = [];
      return all;
    },
  };
}

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

/** What a client left in the middle of: the message that follows. */
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
const shared = (kind: string, finish: (reply: Fields, value: string) => void, cutOff: string): Breakage[] => [
  ['status', () => inBack(put(201))],
  ['json', () => inBack((back) => (back.body = 'Fine, thanks.'))],
  ['content-type', () => inBack((back) => (back.contentType = 'text/html'))],
  [kind, () => inReply((reply) => (reply[kind] = 'answer'))],
  ['id', () => inReply((reply) => (reply['id'] = ''))],
  ['id-distinct', () => inReply((reply) => (reply['id'] = 'always'))],
  ['model', () => inReply((reply) => (reply['model'] = null))],
  ['finish', () => inReply((reply, asked) => isLimited(asked) || finish(reply, 'done'))],
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
  ['stream-whole', () => ({ breaks: true })],
  ['stream-unbuffered', () => ({ gathers: true })],
  ['leaving', breakingAfterLeaving],
  ['stream-begins', () => ({ onEvent: () => [] })],
];

const openai: Breakage[] = [['usage-total', () => inReply((reply) => (at(reply, 'usage')['total_tokens'] = 1))]];

const hasText = (fields: Fields): boolean =>
  typeof (fields['choices'] as Fields[] | undefined)?.[0] === 'object' &&
  String(at(fields, 'choices', 0, 'delta')['content'] ?? '') !== '';
const isFinish = (fields: Fields): boolean =>
  typeof (fields['choices'] as Fields[] | undefined)?.[0]?.['finish_reason'] === 'string';
const isChatDone = ({ data }: ApiEvent): boolean => data === '[DONE]';

const broken: Record<Api, Breakage[]> = {
  'openai-chat': [
    ...shared('object', (reply, value) => (at(reply, 'choices', 0)['finish_reason'] = value), 'stop'),
    ...openai,
    ['created', () => inReply((reply) => (reply['created'] = Date.now()))],
    [
      'content',
      () =>
        inReply((reply, asked) => {
          if (!asksToRecall(asked)) at(reply, 'choices', 0, 'message')['content'] = 5;
        }),
    ],
    ['role', () => inReply((reply) => (at(reply, 'choices', 0, 'message')['role'] = 'bot'))],
    [
      'memory',
      () =>
        inReply((reply, asked) => {
          if (asksToRecall(asked)) at(reply, 'choices', 0, 'message')['content'] = 'Who knows?';
        }),
    ],
    ['messages-missing', () => refusing(lacks('messages'), put(422))],
    ['stream-json', () => inEvents(isChatDone, (event) => [{ type: '', data: 'over' }, event])],
    [
      'stream-text',
      () =>
        inEvents(
          (_, fields) => hasText(fields),
          () => [],
        ),
    ],
    [
      'stream-finish',
      () => ({
        onEvent: (event, asked) => {
          if (typeof event.data !== 'string' && !isLimited(asked) && isFinish(event.data as Fields))
            at(event.data, 'choices', 0)['finish_reason'] = 'done';
          return [event];
        },
      }),
    ],
    [
      'stream-limit',
      () => ({
        onEvent: (event, asked) => {
          if (typeof event.data !== 'string' && isLimited(asked) && isFinish(event.data as Fields))
            at(event.data, 'choices', 0)['finish_reason'] = 'stop';
          return [event];
        },
      }),
    ],
    [
      'stream-usage',
      () =>
        inEvents(
          (_, fields) => Array.isArray(fields['choices']) && fields['choices'].length === 0,
          () => [],
        ),
    ],
    [
      'stream-object',
      () =>
        inEvents(
          (_, fields) => isFinish(fields),
          (_, fields) => void (fields['object'] = 'chat.completion'),
        ),
    ],
    [
      'stream-id',
      () =>
        inEvents(
          (_, fields) => isFinish(fields),
          (_, fields) => void (fields['id'] = 'chatcmpl-another'),
        ),
    ],
    [
      'stream-role',
      () =>
        inEvents(
          (_, fields) => 'choices' in fields && (fields['choices'] as unknown[]).length > 0,
          (_, fields) => void delete at(fields, 'choices', 0, 'delta')['role'],
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
    ...shared('object', (reply, value) => (reply['status'] = value), 'completed'),
    ...openai,
    ['created_at', () => inReply((reply) => (reply['created_at'] = '2026-01-01'))],
    [
      'content',
      () =>
        inReply((reply, asked) => {
          if (!asksToRecall(asked)) at(reply, 'output', 0)['content'] = 'Hello';
        }),
    ],
    ['role', () => inReply((reply) => (at(reply, 'output', 0)['role'] = 'bot'))],
    [
      'memory',
      () =>
        inReply((reply, asked) => {
          if (asksToRecall(asked)) at(reply, 'output', 0, 'content', 0)['text'] = 'Who knows?';
        }),
    ],
    ['input-missing', () => refusing(lacks('input'), put(422))],
    [
      'previous-unknown',
      () => ({
        onWay: ({ fields }) =>
          void (String(fields['previous_response_id']).startsWith('resp_QX') && delete fields['previous_response_id']),
      }),
    ],
  ],
  'anthropic-messages': [...shared('type', (reply, value) => (reply['stop_reason'] = value), 'end_turn')],
};

describe('the rules of the models’ APIs', () => {
  test.each(apis)('of %s are all kept by the reference service', async (api) => {
    const found = await check(api, {});
    expect(found.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(idsOf(found, 'pass')).toEqual(ruleIds(api));
    expect(found.exchanges).toBeLessThanOrEqual(20);
  });

  describe.each(apis)('of %s', (api) => {
    test.each([...broken[api]])('%s is the one that is found broken where it is', async (id, spoil) => {
      const found = await check(api, spoil());
      expect(
        found.rules
          .filter(({ verdict }) => verdict === 'fail' || verdict === 'warn')
          .map(({ id: i, seen }) => [i, seen]),
      ).toEqual([[id, expect.any(String)]]);
    });
  });
});
