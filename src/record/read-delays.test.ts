import { describe, expect, test } from 'vitest';
import { instant, ms } from '../base/time.ts';
import { ReadDelays } from './read-delays.ts';

/** Plays probes and replies in turns of the event loop, each with its delay or wait; returns what was recorded for the replies. */
function play(turns: readonly (readonly (['probe', number] | ['reply', number])[])[]): [number, number][] {
  const recorded: [number, number][] = [];
  let deferred: (() => void)[] = [];
  const delays = new ReadDelays({
    defer: (settle) => deferred.push(settle),
    record: (waited, delay) => recorded.push([waited, delay]),
  });
  turns.forEach((events, turn) => {
    for (const [kind, value] of events) {
      if (kind === 'probe') delays.probed(ms(value), instant(1000 * turn));
      else delays.replied(ms(value));
    }
    const settled = deferred;
    deferred = [];
    settled.forEach((settle) => settle());
  });
  delays.settle();
  return recorded;
}

describe('the delay of replies', () => {
  test('is what each waited for the loop, and the delay of the probes next to it', () => {
    expect(
      play([
        [
          ['reply', 0],
          ['probe', 0.1],
        ],
        [
          ['probe', 2],
          ['reply', 200],
          ['probe', 1],
          ['reply', 0],
          ['reply', 0],
        ],
        [['reply', 5]],
      ]),
    ).toEqual([
      [0, 0.1],
      [200, 2],
      [0, 1],
      [0, 2],
      [5, 2],
    ]);
  });

  test('is unknown without a probe, and that of the next probe before the first', () => {
    expect(play([[['reply', 0]]])).toEqual([]);
    expect(play([[['reply', 7]], [['probe', 3]]])).toEqual([[7, 3]]);
  });

  test('is recorded once per reply, whatever the order of probes and replies, and of no more than some hundred at once', () => {
    const turns = Array.from({ length: 50 }, (_, turn) =>
      Array.from({ length: turn % 7 }, (__, at) =>
        at % 5 === 4 ? (['probe', 0.1] as ['probe', number]) : (['reply', at] as ['reply', number]),
      ),
    );
    const replies = turns.flat().filter(([kind]) => kind === 'reply').length;
    expect(play([[['probe', 1]], ...turns, [['probe', 1]]])).toHaveLength(replies);
    // Every 64th of 5,000 replies.
    const many = Array.from({ length: 5000 }, (_, at): ['reply', number] => ['reply', at]);
    expect(play([many, [['probe', 1]]])).toEqual(Array.from({ length: 79 }, (_, at) => [64 * at, 1]));
    expect(play([[['probe', 1]], many, [['reply', 7]], [['probe', 1]], [['reply', 9]]])).toHaveLength(80);
  });
});
