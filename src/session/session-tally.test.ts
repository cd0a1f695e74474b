import { expect, test } from 'vitest';
import { SessionLab, created, okReply, refusal } from '../../test/support/session-lab.ts';

test('a session counts its turns, good turns, attempts and time lost', async () => {
  const lab = new SessionLab(
    {
      messages: ['One', 'Two', 'Three'],
      objective: '30ms',
      onFailedTurn: 'continue',
      retry: { maxAttempts: 2, base: '40ms', jitter: 'none' },
    },
    [
      created('s1'),
      { ...okReply('s1'), afterMs: 30 },
      refusal(429, 'slow down'),
      okReply('s1'),
      refusal(429, 'slow down'),
      refusal(429, 'slow down'),
    ],
  );
  await lab.run();
  // The second turn is ok, but its backoff makes it late; the third is not ok.
  expect(lab.sessions).toMatchObject([{ tally: { turns: 3, good: 1, attempts: 5, lostMs: 80 } }]);
});

test('a turn that was cut is in no tally', async () => {
  const lab = new SessionLab({ messages: ['One', 'Two'] }, [created('s1'), okReply('s1'), { afterMs: Infinity }]);
  const playing = lab.play();
  await lab.clock.run(500);
  lab.cut();
  await lab.clock.finish(playing);
  expect(lab.sessions).toMatchObject([{ end: 'cut', tally: { turns: 1, good: 1, attempts: 1, lostMs: 0 } }]);
});
