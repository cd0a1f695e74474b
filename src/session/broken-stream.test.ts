import { describe, expect, test } from 'vitest';
import { codeOf } from '../plan/guard-prompts.ts';
import type { ReplyStream } from '../protocol/protocol.ts';
import { created, SessionLab, type Answer } from '../../test/support/session-lab.ts';

const seed = 7;

/** A stream that ended after this part was received. */
const broken = (text: string, failure: Answer['failure']): Answer => {
  const stream: ReplyStream = {
    text,
    hasEnded: false,
    take: () => 'other',
    conclude: () => ({ outcome: 'ok', detail: '', reply: undefined }),
  };
  return { failure, stream };
};

const play = (answer: Answer): Promise<SessionLab> =>
  new SessionLab({ seed, messages: ['a'], turns: 1, retry: 'none', integrity: true }, [created('s'), answer]).run();

describe('the received part of a broken reply', () => {
  test.each(['connection_lost', 'timed_out', 'abandoned'] as const)(
    'breaks the integrity of conversations if it belongs to another session: %s',
    async (failure) => {
      const lab = await play(broken(`Your code is ${codeOf({ seed, salt: '' }, 2)}`, failure));
      expect(lab.turns.map(({ outcome }) => outcome)).toEqual(['check_failed']);
      expect(lab.integrityRecords).toMatchObject([
        { failed: 'leakage', detail: 'a part of a reply contains the code of session 2' },
      ]);
    },
  );

  test.each([
    ['of its own session', `Your code is ${codeOf({ seed, salt: '' }, 1)}`, 'connection_lost'],
    ['of no session', 'Your code is', 'connection_lost'],
    ['cut with the run', `Your code is ${codeOf({ seed, salt: '' }, 2)}`, 'aborted'],
  ] as const)('does not break it if it is %s', async (_, text, failure) => {
    const lab = await play(broken(text, failure));
    expect([lab.turns.map(({ outcome }) => outcome), lab.integrityRecords]).toEqual([[failure], []]);
  });
});
