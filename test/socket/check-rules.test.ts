import { describe, expect, test } from 'vitest';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import { errorTexts } from '../../src/protocol/chat-messaging/api.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { answer, inData, inReply, replying } from '../gallery/broken/chat-messaging.ts';
import { checkAt, idsOf } from '../support/check-at.ts';
import { openSpoiled, type Passing, type Returning, type Spoiling } from '../support/spoiling-service.ts';

const check = async (spoiling: Spoiling): Promise<CheckDocument> =>
  checkAt('chat-messaging', await openSpoiled(spoiling));

describe('the rules', () => {
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
