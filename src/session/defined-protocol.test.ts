import { expect, test } from 'vitest';
import { openDefined } from '../../test/support/defined-lab.ts';
import { SessionLab } from '../../test/support/session-lab.ts';

test('a function of a protocol that fails to create a request ends the run, and the error names the session and turn', async () => {
  const api = openDefined({
    message: {
      path: '/ask',
      body: ({ turn, message }) => {
        if (turn === 2) throw new Error('no second thoughts');
        return { message };
      },
    },
    reply: { text: 'answer' },
  });
  const answers = [{ status: 200, body: '{"answer":"A"}' }];
  const lab = await new SessionLab({ messages: ['a', 'b'], turns: 3 }, answers, { api }).run(7);
  expect(lab.abandoned).toEqual([
    'The function target.protocol.message.body of the scenario failed in session 7, turn 2: it threw no second thoughts',
  ]);
  expect(lab.sent.map(({ body }) => body)).toEqual([{ message: 'a' }]);
  expect(lab.sessions).toMatchObject([{ end: 'cut', plannedTurns: 3, skippedRunEnd: 2 }]);
});
