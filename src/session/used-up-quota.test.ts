import { describe, expect, test } from 'vitest';
import { SessionLab } from '../../test/support/session-lab.ts';
import { bareTarget } from '../../test/support/stream-events.ts';
import { anthropicMessages } from '../protocol/anthropic-messages/anthropic-messages.ts';
import { openaiChat } from '../protocol/openai-chat/openai-chat.ts';
import { openaiResponses } from '../protocol/openai-responses/openai-responses.ts';

const play = async (protocol: typeof openaiChat, status: number, error: object) => {
  const api = protocol.open(bareTarget);
  const lab = await new SessionLab({}, [{ status, body: JSON.stringify({ error }) }], { api }).run();
  return { circuit: lab.circuit, sent: lab.sent.length, turns: lab.turns.map(({ outcome }) => outcome) };
};
const usedUp = 'its quota or credit is used up';

describe('a quota that is used up', () => {
  test.each([
    [openaiChat, 429, { type: 'insufficient_quota', code: 'insufficient_quota' }, `status 429, insufficient_quota, ${usedUp}`],
    [openaiResponses, 403, { code: 'billing_not_active' }, `status 403, billing_not_active, ${usedUp}`],
    [anthropicMessages, 400, { type: 'invalid_request_error', message: 'Your credit balance is too low.' }, `status 400, invalid_request_error, ${usedUp}: Your credit balance is too low.`],
  ])('opens the circuit as a rejected key does, with $name', async (protocol, status, error, why) => {
    expect(await play(protocol, status, error)).toEqual({ circuit: [why], sent: 1, turns: ['forbidden'] });
  }); // prettier-ignore

  test('is distinguished from too many requests, which are retried', async () => {
    const limited = await play(openaiChat, 429, { type: 'requests', code: 'rate_limit_exceeded' });
    expect(limited.circuit).toEqual([]);
    expect(limited.sent).toBeGreaterThan(1);
  });
});
