import { describe, expect, test } from 'vitest';
import { instant, ms } from '../base/time.ts';
import { ReadDelays } from './read-delays.ts';

/** Plays probes and replies in turns of the event loop; returns the recorded delays of the replies. */
function play(turns: readonly (readonly (['probe', number] | ['reply', number])[])[]): number[] {
  const recorded: number[] = [];
  let deferred: (() => void)[] = [];
  const delays = new ReadDelays({
    defer: (settle) => deferred.push(settle),
    record: (delay) => recorded.push(delay),
  });
  turns.forEach((events, turn) => {
    for (const [kind, value] of events) {
      if (kind === 'probe') delays.probed(ms(value), instant(1000 * turn));
      else delays.replied(instant(1000 * turn + value));
    }
    const settled = deferred;
    deferred = [];
    settled.forEach((settle) => settle());
  });
  delays.settle();
  return recorded;
}

describe('the delay of replies', () => {
  test('is that of the probes that are read with them: a stall counts for every reply that it held up', () => {
    expect(
      play([
        [
          ['reply', 0],
          ['probe', 0.1],
        ],
        [
          ['probe', 200],
          ['reply', 0],
          ['probe', 100],
          ['reply', 0],
          ['reply', 0],
          ['reply', 0],
        ],
      ]),
    ).toEqual([0.1, 200, 100, 200, 100]);
  });

  test('includes the wait for the replies before them in the same turn of the loop', () => {
    expect(
      play([
        [['probe', 0.1]],
        [
          ['reply', 0],
          ['reply', 2],
          ['reply', 5],
        ],
        [['probe', 0.2]],
      ]),
    ).toEqual([0.1, 2, 5]);
  });

  test('is unknown without a probe, and that of the next probe before the first', () => {
    expect(play([[['reply', 0]]])).toEqual([]);
    expect(play([[['reply', 0]], [['probe', 3]]])).toEqual([3]);
  });

  test('is recorded once per reply, whatever the order of probes and replies', () => {
    const turns = Array.from({ length: 50 }, (_, turn) =>
      Array.from({ length: turn % 7 }, (__, at) =>
        at % 5 === 4 ? (['probe', 0.1] as ['probe', number]) : (['reply', at] as ['reply', number]),
      ),
    );
    const replies = turns.flat().filter(([kind]) => kind === 'reply').length;
    expect(play([[['probe', 1]], ...turns, [['probe', 1]]])).toHaveLength(replies);
  });
});
