import { describe, expect, test } from 'vitest';
import { LoopTurns } from './loop-turns.ts';

/** A loop whose time a test sets; `turn` runs events at instants, then ends the turn. */
function loop() {
  let now = 0;
  let deferred: (() => void)[] = [];
  const turns = new LoopTurns(
    () => now,
    (end) => deferred.push(end),
  );
  const turn = (events: readonly ['read' | 'tick', number][], endsAt: number): number[] => {
    const waits = events.map(([kind, at]) => {
      now = at;
      if (kind === 'tick') turns.ticked(10);
      return kind === 'tick' ? 0 : turns.waited(turns.readAt());
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
    expect(turn([['read', 104.05]], 105)).toEqual([expect.closeTo(4.05)]);
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
    for (const at of [900_000, 899_900, 500_000]) {
      expect(waited(at + 3)).toBe(3);
      expect(waited(at + 4)).toBe(4);
      expect(waited(at + 5)).toBe(0);
      expect(waited(at)).toBe(0);
    }
    expect(turns.latestBetween(899_999 as never, 900_050 as never)).toBe(900_004);
    expect(turns.latestBetween(900_010 as never, 900_050 as never)).toBe(900_050);
    // Forgotten, not guessed.
    expect(waited(203)).toBe(0);
    expect(waited(1e7)).toBe(0);
  });
});
