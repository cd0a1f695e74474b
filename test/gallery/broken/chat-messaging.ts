import { questions } from '../../../src/protocol/chat-messaging/questions.ts';
import { embeddedDefaults, type EmbeddedOptions } from '../../../src/scenario/embedded.ts';
import { openSpoiled, type Passing, type Returning, type Spoiling } from '../../support/spoiling-service.ts';
import type { BrokenRules } from '../row.ts';

const { apiKey, chatOffAgentId, wrongTypeApiKey } = embeddedDefaults;

/** A 500 and a provider failure: neither can be provoked from outside. */
const failing: EmbeddedOptions = {
  faults: [
    { kind: 'internal_error', first: 1 },
    { kind: 'provider', first: 1 },
  ],
};

type Body = Record<string, unknown> & { data: Record<string, unknown> };

/** Spoils good replies to messages. */
export function inReply(spoil: (body: Body, returning: Returning, passing: Passing) => void): Spoiling {
  return {
    onReturn: (returning, passing) => {
      if (passing.isMessage && returning.status === 200) spoil(returning.body as Body, returning, passing);
    },
  };
}

export function inData(spoil: (data: Body['data'], passing: Passing) => void): Spoiling {
  return inReply(({ data }, _, passing) => spoil(data, passing));
}

/** Answers messages that start with a question with something else. */
export function replying(question: string, text: string): Spoiling {
  return inData((data, passing) => {
    if (asks(question)(passing)) data['response'] = text;
  });
}

const changing = (change: (passing: Passing) => void): Spoiling => ({
  onWay: (passing) => {
    change(passing);
    return undefined;
  },
});

/** Changes the responses to the messages that a test selects. */
const where = (picks: (passing: Passing) => boolean, spoil: (returning: Returning) => void): Spoiling => ({
  onReturn: (returning, passing) => {
    if (passing.isMessage && picks(passing)) spoil(returning);
  },
});

export function answer(status: number, error: string): Returning {
  return {
    status,
    contentType: 'application/json',
    body: { error },
  };
}

const put = (returning: Returning, status: number, error?: string): void => {
  returning.status = status;
  if (error !== undefined) returning.body = { error };
};

const isMade = (id: unknown): boolean => String(id).startsWith('chat-load-check-');
const asks =
  (question: string): ((passing: Passing) => boolean) =>
  ({ fields }) =>
    String(fields['message']).startsWith(question);

const ofFields = (['agentId', 'sessionId', 'message'] as const).flatMap((field): [string, () => Spoiling][] => [
  [
    `${field}-missing`,
    () =>
      where(
        ({ fields }) => !(field in fields),
        (back) => put(back, 400, 'Something is missing'),
      ),
  ],
  [
    `${field}-empty`,
    () =>
      where(
        ({ fields }) => fields[field] === '',
        (back) => put(back, 422),
      ),
  ],
]);

function leakingCodes(): Spoiling {
  let code = '';
  return inData((data, { fields }) => {
    code = /Remember this code: (\S+)/.exec(String(fields['message']))?.[1] ?? code;
    if (fields['message'] === questions.recall) data['response'] = `It is ${code}.`;
  });
}

function keepingValues(): Spoiling {
  const kept = new Map<unknown, unknown>();
  return changing(({ fields }) => {
    const { sessionId } = fields;
    if (fields['variableValues'] === undefined) fields['variableValues'] = kept.get(sessionId) ?? {};
    else kept.set(sessionId, fields['variableValues']);
  });
}

function refusingTheSecond(): Spoiling {
  let seen = 0;
  return {
    onWay: (passing) => (asks('Repeat this tag')(passing) && ++seen === 2 ? answer(409, 'Busy') : undefined),
  };
}

/** For every rule, a service that breaks it and no other. */
const breakages = new Map<string, () => Spoiling>([
  ['creation', () => ({ onReturn: (back) => back.status === 201 && put(back, 201, 'none') })],
  ['message-status', () => inReply((_, back) => put(back, 201))],
  ['reply-json', () => inReply((_, back) => (back.body = 'Fine, thanks.'))],
  ['content-type', () => inReply((_, back) => (back.contentType = 'text/html'))],
  ['success', () => inReply((body) => (body['success'] = 'true'))],
  ['data', () => inReply((body, back) => (back.body = { ...body, data: [body.data] }))],
  ['response', () => inData((data) => (data['response'] = 5))],
  ['chatId', () => inData((data) => (data['chatId'] = ''))],
  ['chatId-distinct', () => inData((data) => (data['chatId'] = 'always'))],
  ['sessionId', () => inData((data) => (data['sessionId'] = 'another'))],
  ['isSession', () => inData((data) => (data['isSession'] = 1))],
  ['createdAt', () => inData((data) => (data['createdAt'] = 'today'))],
  ['updatedAt', () => inData((data) => (data['updatedAt'] = 'Friday'))],
  [
    'timestamps-order',
    () => inData((data) => (data['createdAt'] = new Date(Date.parse(String(data['updatedAt'])) + 1000).toISOString())),
  ],
  [
    'additive',
    () =>
      inData((data) => {
        delete data['cost'];
        delete data['conversation'];
      }),
  ],
  ['memory', () => replying(questions.recall, 'Who knows?')],
  ['sessions-apart', leakingCodes],
  [
    'variables-used',
    () =>
      changing(({ fields }) => {
        if ('variableValues' in fields) fields['variableValues'] = {};
      }),
  ],
  ['variables-per-message', keepingValues],
  [
    'variables-optional',
    () => ({
      onWay: ({ isMessage, fields }) =>
        isMessage && !('variableValues' in fields) ? answer(400, 'variableValues are required') : undefined,
    }),
  ],
  ['two-at-once', refusingTheSecond],
  ...ofFields,
  [
    'agent-unknown',
    () =>
      where(
        ({ fields }) => isMade(fields['agentId']),
        (back) => put(back, 404, 'No such agent'),
      ),
  ],
  [
    'chat-off',
    () =>
      where(
        ({ fields }) => fields['agentId'] === chatOffAgentId,
        (back) => put(back, 403),
      ),
  ],
  [
    'key-wrong',
    () =>
      where(
        ({ key }) => isMade(key),
        (back) => put(back, 400),
      ),
  ],
  [
    'key-wrong-kind',
    () =>
      changing((passing) => {
        if (passing.key === wrongTypeApiKey) passing.key = apiKey;
      }),
  ],
  [
    'session-unknown',
    () =>
      where(
        ({ fields }) => isMade(fields['sessionId']),
        (back) => put(back, 400),
      ),
  ],
  [
    'error-field',
    () =>
      where(
        ({ fields }) => isMade(fields['agentId']),
        (back) => (back.body = { success: false, message: (back.body as Body)['error'] }),
      ),
  ],
  ['error-internal', () => ({ onReturn: (back) => back.status === 500 && put(back, 500, 'Oops') })],
  ['error-provider', () => ({ onReturn: (back) => back.status === 503 && put(back, 200) })],
]);

export const { broken, sound, maxExchanges }: BrokenRules = {
  broken: [...breakages].map(([id, spoil]) => [id, () => openSpoiled(spoil(), id.startsWith('error-') ? failing : {})]),
  sound: () => openSpoiled({}, failing),
  maxExchanges: 40,
};
