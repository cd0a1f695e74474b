import { describe, expect, test } from 'vitest';
import { instant, ms } from '../../base/time.ts';
import type { AttemptClass } from '../../protocol/outcome.ts';
import { Watchdog } from './watchdog.ts';

const stopWhen = { noSuccessMs: ms(60_000), targetGoneMs: ms(30_000) };

type Told = readonly [AttemptClass | 'created' | 'uncreated', number, number, string?];

/** Reports attempts, each with its send and its end in seconds, and judges; attempts are of turns unless marked as creations. */
function judge(attempts: readonly Told[], over = {}) {
  const watchdog = new Watchdog({ ...stopWhen, ...over });
  for (const [told, from, to, detail = ''] of attempts) {
    const exchange = { sentAt: instant(from * 1000), endedAt: instant(to * 1000) };
    if (told === 'created') watchdog.attemptEnded({ operation: 'create', outcome: 'ok', exchange, detail });
    else if (told === 'uncreated')
      watchdog.attemptEnded({ operation: 'create', outcome: 'server_error', exchange, detail });
    else watchdog.attemptEnded({ operation: 'message', outcome: told, exchange, detail });
  }
  return watchdog.judge();
}

describe('no success', () => {
  test('is reported once no turn was ok for as long, with the first error', () => {
    expect(
      judge([
        ['ok', 0, 1],
        ['timed_out', 1, 31, 'no reply'],
        ['internal_error', 32, 60.9],
      ]),
    ).toBeUndefined();
    expect(
      judge([
        ['ok', 0, 1],
        ['timed_out', 1, 31, 'no reply'],
        ['internal_error', 32, 61],
      ]),
    ).toEqual({
      kind: 'no_success',
      why: 'no turn was ok for 60 s. 2 attempts failed, the first with timed_out: no reply',
    });
  });

  test('starts again with every ok', () => {
    expect(
      judge([
        ['bad_request', 0, 1],
        ['ok', 50, 51],
        ['bad_request', 61, 62],
      ]),
    ).toBeUndefined();
  });

  test('counts a long attempt from the last ok, not from its send', () => {
    expect(
      judge([
        ['ok', 0, 80],
        ['timed_out', 0, 90],
        ['timed_out', 0, 100],
      ]),
    ).toBeUndefined();
  });

  test('is not reported for one failure alone, nor for a time in which nothing ended', () => {
    expect(judge([['timed_out', 0, 90]])).toBeUndefined();
    expect(
      judge([
        ['internal_error', 0, 1],
        ['internal_error', 1, 2],
      ]),
    ).toBeUndefined();
    expect(judge([])).toBeUndefined();
  });

  test('is reported for turns that all fail, however many sessions are created meanwhile', () => {
    expect(
      judge([
        ['created', 0, 1],
        ['server_error', 1, 2],
        ['created', 30, 31],
        ['server_error', 31, 61],
        ['created', 61, 62],
      ]),
    ).toMatchObject({ kind: 'no_success' });
  });

  test('counts from the send of the first turn that failed, whatever was created before that turn ended', () => {
    expect(
      judge([
        ['ok', 0, 1],
        ['created', 5, 20],
        ['timed_out', 2, 32, 'no reply'],
        ['timed_out', 33, 62],
      ]),
    ).toEqual({
      kind: 'no_success',
      why: 'no turn was ok for 60 s. 2 attempts failed, the first with timed_out: no reply',
    });
  });

  test('is reported if no session is created, and for sessions together with turns', () => {
    expect(
      judge([
        ['uncreated', 0, 1],
        ['uncreated', 59, 60],
      ]),
    ).toMatchObject({ kind: 'no_success' });
    expect(
      judge([
        ['server_error', 0, 1],
        ['uncreated', 59, 60],
      ]),
    ).toMatchObject({ kind: 'no_success' });
  });

  test('is not reported if creations are ok again, and no turn has ended since', () => {
    expect(
      judge([
        ['uncreated', 0, 1],
        ['uncreated', 2, 3],
        ['created', 4, 5],
        ['timed_out', 5, 95],
      ]),
    ).toBeUndefined();
    expect(
      judge([
        ['created', 0, 1],
        ['created', 100, 101],
      ]),
    ).toBeUndefined();
  });

  test('is not reported for attempts that the run itself cut', () => {
    expect(
      judge([
        ['aborted', 0, 90],
        ['aborted', 0, 100],
        ['aborted', 50, 200],
      ]),
    ).toBeUndefined();
  });

  test('is not checked if it is disabled', () => {
    expect(
      judge(
        [
          ['timed_out', 0, 90],
          ['timed_out', 0, 900],
        ],
        { noSuccessMs: null },
      ),
    ).toBeUndefined();
  });
});

describe('an unreachable target', () => {
  const refused = (from: number) => ['connect_failed', from, from + 0.1, 'ECONNREFUSED'] as const;

  test('is reported once every attempt failed to connect for as long', () => {
    expect(judge([['ok', 0, 1], refused(5), refused(20), refused(34.8)])).toBeUndefined();
    expect(judge([['ok', 0, 1], refused(5), refused(20), refused(35)])).toEqual({
      kind: 'target_gone',
      why: 'the target could not be reached for 30 s. 3 attempts failed, the first with connect_failed: ECONNREFUSED',
    });
  });

  test('is reset by any other outcome', () => {
    expect(judge([refused(5), ['server_error', 20, 21], refused(35)])).toBeUndefined();
    expect(judge([refused(5), refused(50)], { targetGoneMs: null })).toBeUndefined();
  });
});
