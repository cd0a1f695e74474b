import { describe, expect, test } from 'vitest';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import { ruleSet } from '../../src/conformance/chat-messaging/rules.ts';
import { performCheck } from '../../src/app/check/perform-check.ts';
import { resolveScenario } from '../../src/plan/resolve-scenario.ts';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import { ms } from '../../src/base/time.ts';
import { errorTexts } from '../../src/protocol/chat-messaging/api.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { openSpoiled, type Passing, type Returning, type Spoiling } from '../support/spoiling-service.ts';

const { rules } = ruleSet;

const { agentId, chatOffAgentId, apiKey, wrongTypeApiKey } = embeddedDefaults;

/** A 500 and a provider failure: neither can be provoked from outside. */
const failing: EmbeddedOptions = {
  faults: [
    { kind: 'internal_error', first: 1 },
    { kind: 'provider', first: 1 },
  ],
};

async function check(spoiling: Spoiling, options: EmbeddedOptions = {}): Promise<CheckDocument> {
  const baseUrl = await openSpoiled(spoiling, options);
  const author = { name: 'c', sessions: 1, messages: ['Hi'], target: { baseUrl, agentId, apiKey } };
  return performCheck({
    resolved: resolveScenario(author, { flags: {}, environment: {} }),
    scenario: undefined,
    needs: {
      chatOffAgentId,
      wrongKindKey: wrongTypeApiKey,
      variable: { name: 'customerName', value: undefined },
      words: { remember: questions.remember, recall: questions.recall },
    },
    pauseMs: ms(0),
  });
}

const idsOf = ({ rules: found }: CheckDocument, ...verdicts: string[]): string[] =>
  found.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);

type Body = Record<string, unknown> & { data: Record<string, unknown> };

/** Spoils good replies to messages. */
const inReply = (spoil: (body: Body, returning: Returning, passing: Passing) => void): Spoiling => ({
  onReturn: (returning, passing) => {
    if (passing.isMessage && returning.status === 200) spoil(returning.body as Body, returning, passing);
  },
});

const inData = (spoil: (data: Body['data'], passing: Passing) => void): Spoiling =>
  inReply(({ data }, _, passing) => spoil(data, passing));

/** Answers messages that start with a question with something else. */
const replying = (question: string, text: string): Spoiling =>
  inData((data, passing) => {
    if (asks(question)(passing)) data['response'] = text;
  });

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

const answer = (status: number, error: string): Returning => ({
  status,
  contentType: 'application/json',
  body: { error },
});

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
const broken = new Map<string, () => Spoiling>([
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

describe('the rules', () => {
  test('are all kept by the reference service', async () => {
    const found = await check({}, failing);
    expect(idsOf(found, 'pass')).toEqual(rules.map(({ id }) => id));
    expect(found.counts).toEqual({ tried: rules.length, passed: rules.length, failed: 0, warned: 0, skipped: 0 });
    expect(found.exchanges).toBeLessThanOrEqual(40);
  });

  test('are each broken in turn below', () => {
    expect([...broken.keys()].sort()).toEqual(rules.map(({ id }) => id).sort());
  });

  test.each([...broken])('%s is reported as broken if only it is broken', async (id, spoil) => {
    const found = await check(spoil(), id.startsWith('error-') ? failing : {});
    expect(idsOf(found, 'fail', 'warn')).toEqual([id]);
    expect(found.counts.failed).toBe(rules.find((rule) => rule.id === id)?.standing === 'recommended' ? 0 : 1);
  });

  test('see more than one way to break them', async () => {
    const forgetful = replying(questions.list, 'Nothing.');
    const old = inData((data) => (data['updatedAt'] = '2020-01-01T00:00:00Z'));
    const crossed = replying('Repeat this tag', 'Tag: another');
    const lateness = inReply((body, back, { fields }) => {
      if (fields['message'] === questions.recall) back.body = { ...body, data: { ...body.data, isSession: 'true' } };
    });
    const ways = await Promise.all([forgetful, old, crossed, lateness].map((spoiling) => check(spoiling)));
    expect(ways.map((found) => idsOf(found, 'fail', 'warn'))).toEqual([
      ['two-at-once'],
      // The creation is now after the update.
      ['updatedAt', 'timestamps-order'],
      ['two-at-once'],
      ['isSession'],
    ]);
  });

  test('on memory and variables are not tried with an agent that does not repeat the requested text', async () => {
    const found = await check(inData((data) => (data['response'] = 'Our opening hours are 9 to 5.')));
    expect(idsOf(found, 'skipped')).toEqual(
      expect.arrayContaining(['memory', 'sessions-apart', 'variables-used', 'variables-per-message']),
    );
    expect(idsOf(found, 'fail')).toEqual([]);
    // Answering both is half of the rule.
    const half = found.rules.find(({ id }) => id === 'two-at-once');
    expect(half).toMatchObject({ verdict: 'skipped', seen: expect.stringContaining('both were answered') as string });
    expect(found.remedy).toBeNull();
  });

  test('are followed by a remedy if an unknown agent or path prevents most checks', async () => {
    const refusing = (picks: (passing: Passing) => boolean, refusal: Returning): Spoiling => ({
      onWay: (passing) => (picks(passing) ? refusal : undefined),
    });
    const found = await Promise.all([
      check(refusing(({ isMessage }) => !isMessage, answer(404, errorTexts.agentNotFound))),
      check(refusing(({ isMessage }) => !isMessage, answer(404, 'Cannot POST'))),
      check(refusing(({ isMessage }) => isMessage, answer(404, errorTexts.agentNotFound))),
    ]);
    expect(found.map(({ remedy }) => remedy)).toEqual([
      expect.stringContaining('--agent-id'),
      expect.stringContaining('target.createSession.path'),
      expect.stringContaining('--agent-id'),
    ]);
  });
});
