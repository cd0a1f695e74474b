import { describe, expect, test } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/**
 * A loop whose time a test sets; `turn` polls until the first of its events, the rest of which it received too, and is busy until
 * its end.
 */
function loop() {
  let now = 0;
  let polledMs = 0;
  let deferred: (() => void)[] = [];
  const turns = new LoopTurns({ now: () => now, polledMs: () => polledMs, defer: (end) => deferred.push(end) });
  const turn = (
    events: readonly ['read' | 'tick', number][],
    endsAt: number,
    polls: 'waiting' | 'at once' = 'waiting',
  ): number[] => {
    if (polls === 'waiting') polledMs += (events[0]?.[1] ?? now) - now;
    const waits = events.map(([kind, at]) => {
      now = at;
      if (kind === 'read') return turns.waited(turns.readAt());
      turns.ticked(10);
      // The timer fires before the poll that receives the rest.
      polledMs += 0.001;
      return 0;
    });
    now = endsAt;
    const ended = deferred;
    deferred = [];
    ended.forEach((end) => end());
    return waits;
  };
  return { turn, turns };
}

describe('the wait for the event loop', () => {
  test('is the time since the first read of the same turn', () => {
    const { turn } = loop();
    expect(
      turn(
        [
          ['read', 100],
          ['read', 101],
          ['read', 105],
        ],
        106,
      ),
    ).toEqual([0, 1, 5]);
    // The loop was idle before.
    expect(
      turn(
        [
          ['read', 120],
          ['read', 120.1],
        ],
        121,
      ),
    ).toEqual([0, 0]);
  });

  test('includes the turn before, if the loop polled without waiting', () => {
    const { turn } = loop();
    turn([['read', 100]], 104);
    expect(turn([['read', 104.005]], 105)).toEqual([expect.closeTo(4.005)]);
    // After that it waited.
    expect(turn([['read', 105.5]], 106)).toEqual([0]);
  });

  test('ends with a turn that took long, also if the polls take no time at all', () => {
    const { turn } = loop();
    const busy = Array.from({ length: 50 }, (_, at) => turn([['read', 100 + at]], 101 + at, 'at once')[0]);
    // Until the first long turn was noticed, then since the first read of the turn before.
    expect(busy.slice(0, 2)).toEqual([0, 1]);
    expect(Math.max(...busy.map((wait) => wait ?? NaN))).toBeLessThanOrEqual(3);
  });

  test('that followed a read within the same turn is known afterwards: a send', () => {
    const { turn, turns } = loop();
    turn([['read', 100]], 100.1);
    expect(turns.waited(105 as never)).toBe(5);
    turn([['read', 120]], 120.1);
    expect(turns.waited(105 as never)).toBe(5);
    expect(turns.waited(110 as never)).toBe(0);
  });

  test('includes a stall that delayed the tick of the loop, and as much before as the tick was late', () => {
    const { turn } = loop();
    turn([['tick', 0]], 0.1);
    turn([['tick', 10]], 10.1);
    // Due at 20; the stall may have begun at 10.1, when the loop last ended a turn.
    expect(
      turn(
        [
          ['tick', 220],
          ['read', 220.2],
          ['read', 221],
        ],
        222,
      ),
    ).toEqual([0, 210.2, 211].map((at) => expect.closeTo(at, 0) as number));
    expect(turn([['tick', 232]], 232.1)).toEqual([0]);
    // Due at 242, 3 ms late.
    expect(
      turn(
        [
          ['tick', 245],
          ['read', 245.5],
        ],
        246,
      ),
    ).toEqual([0, expect.closeTo(6.5)]);
    expect(turn([['read', 247]], 247.1)).toEqual([0]);
  });

  test('includes a stall after which the loop reads before it ticks', () => {
    const { turn } = loop();
    turn([['tick', 0]], 0.1);
    // Due at 10; the stall was in the timers of the loop, whose time stands still meanwhile.
    expect(
      turn(
        [
          ['read', 205],
          ['read', 206],
        ],
        207,
      ),
    ).toEqual([205, 206]);
    expect(turn([['tick', 207.2]], 207.3)).toEqual([0]);
    expect(turn([['read', 212]], 212.1)).toEqual([0]);
  });

  test('is not that of a tick that was late before any tick was due', () => {
    const { turn, turns } = loop();
    expect(
      turn(
        [
          ['tick', 500],
          ['read', 501],
        ],
        502,
      ),
    ).toEqual([0, 0]);
    turns.stopped();
    expect(
      turn(
        [
          ['tick', 900],
          ['read', 901],
        ],
        902,
      ),
    ).toEqual([0, 0]);
  });

  test('is known afterwards, for the instants of a long turn alone', () => {
    const { turn, turns } = loop();
    for (let at = 1; at <= 9000; at++)
      turn(
        [
          ['read', 100 * at],
          ['read', 100 * at + 3],
        ],
        100 * at + 4,
      );
    const waited = (at: number): number => turns.waited(at as never);
    expect([waited(900_000), waited(900_003)]).toEqual([0, 3]);
    for (const at of [899_900, 500_000]) {
      expect(waited(at + 3)).toBe(3);
      expect(waited(at + 4)).toBe(0);
      expect(waited(at)).toBe(0);
    }
    expect(turns.latestBetween(899_999 as never, 900_050 as never)).toBe(900_003);
    expect(turns.latestBetween(900_010 as never, 900_050 as never)).toBe(900_050);
    // Forgotten, not guessed.
    expect(waited(203)).toBe(0);
  });
});
