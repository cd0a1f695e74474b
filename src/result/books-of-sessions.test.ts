import fc from 'fast-check';
import { expect, test } from 'vitest';
import { created, okReply, refusal, SessionLab, type Answer } from '../../test/support/session-lab.ts';
import { instant } from '../base/time.ts';
import { createRecorder } from '../record/recorder.ts';
import { assertBooks } from './books/assert-books.ts';

const answer = fc
  .record({
    afterMs: fc.constantFrom(1, 40, 900),
    kind: fc.constantFrom<Answer>(
      okReply('s1'),
      okReply('s1'),
      created('s1'),
      created('s1'),
      refusal(429, 'Too many requests', '1'),
      refusal(429, 'Too many requests', '900'),
      refusal(503, 'Chat provider error'),
      refusal(404, 'Agent not found'),
      refusal(500, 'Internal server error'),
      { failure: 'connection_lost' },
      { failure: 'timed_out' },
      { status: 200, body: 'no JSON' },
    ),
  })
  .map(({ afterMs, kind }): Answer => ({ ...kind, afterMs }));

const course = fc.record({
  answers: fc.array(answer, { minLength: 30, maxLength: 60 }),
  sessions: fc.integer({ min: 1, max: 6 }),
  haltAt: fc.constantFrom(undefined, 5, 700, 3000),
  cutAt: fc.constantFrom(undefined, 20, 950, 4000),
  onFailedTurn: fc.constantFrom('stop' as const, 'continue' as const),
});

test('the counts of real sessions are consistent, whatever the service answers and whenever the run ends', async () => {
  await fc.assert(
    fc.asyncProperty(course, async ({ answers, sessions, haltAt, cutAt, onFailedTurn }) => {
      const retry = { patient: { base: '100ms' as const }, hasty: { base: '1ms' as const, maxAttempts: 2 } };
      const lab = new SessionLab({ sessions, turns: 4, warmUp: '1s', retry, onFailedTurn, thinkTime: '50ms' }, answers);
      const { plan } = lab.stage;
      const recorder = createRecorder({ plan, startedAt: instant(0), defer: () => undefined });
      lab.stage.observer = recorder;
      if (haltAt !== undefined) lab.clock.wakeAt(instant(haltAt), () => lab.stopSignal.apply('halt'));
      if (cutAt !== undefined) lab.clock.wakeAt(instant(cutAt), () => lab.cut());
      await lab.clock.finish(Promise.all(Array.from({ length: sessions }, (_, index) => lab.play(index + 1))));
      const equations = assertBooks(plan, recorder.snapshot(lab.clock.now()));
      expect(equations.filter((equation) => !equation.holds)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
