import { systemClock } from '../../edge/clock.ts';
import { checkShards, mostShardsOf } from '../../plan/shard.ts';
import { coordinateRun } from '../run/coordinate-run.ts';
import { describeRun } from '../run/describe-run.ts';
import type { Fleet } from '../run/ports.ts';
import { beatsOf } from './beats.ts';
import { StepFollower } from './follow-step.ts';
import { onAbort, type PlayedLoad, type SteppedPlay } from './play-here.ts';

/** How many processes can share a step: a session is in one of them. */
export function coresOf(fleet: Fleet | undefined, { settled }: Pick<SteppedPlay, 'settled'>): number {
  return Math.min(fleet?.count ?? 1, mostShardsOf(settled.plan));
}

/** Plays a step with processes of its own, and looks at what they publish, which is once a second. */
export async function playOnCores(
  play: SteppedPlay,
  { fleet, baseUrl, note }: { fleet: Fleet; baseUrl: URL; note: (text: string) => void },
): Promise<PlayedLoad> {
  const { settled, order, watch, stops } = play;
  const count = coresOf(fleet, play);
  checkShards(settled.plan, count);
  const header = await describeRun(settled, { label: null, sitting: null, pair: null }, []);
  const [drain, cut] = [new AbortController(), new AbortController()];
  const timers: NodeJS.Timeout[] = [];
  let startedAt = systemClock.now();
  const follower = new StepFollower(order, watch, {
    seen: play.seen,
    end: () => {
      drain.abort();
      timers.push(setTimeout(() => cut.abort(), Math.min(settled.plan.gracePeriodMs, follower.patienceMs)));
    },
  });
  const unfollow = onAbort(stops.drain, () => follower.stop(systemClock.now() - startedAt));
  const uncut = onAbort(stops.cut, () => cut.abort());
  try {
    const { outcome } = await coordinateRun(
      settled,
      { fleet: { ...fleet, count }, header },
      {
        baseUrl,
        drain: drain.signal,
        cut: cut.signal,
        strayFailed: play.strayFailed,
        note,
        warn: ({ message }) => note(`warning: ${message}`),
        openJournal: () => {
          startedAt = systemClock.now();
          // What comes late must not let it go on for longer than it may.
          timers.push(setTimeout(() => follower.stop(order.mostMs), order.mostMs));
          return Promise.resolve({
            add: (piece) => beatsOf(piece, play.objectives).forEach((beat) => follower.take(beat)),
            lost: () => undefined,
            failed: new Promise(() => undefined),
          });
        },
        watch: () => undefined,
      },
    );
    const judgedMs = follower.stoppedMs ?? outcome.elapsedMs;
    return { outcome, judgedMs, health: outcome.account.generator, samples: outcome.samples, workers: outcome.workers };
  } finally {
    timers.forEach((timer) => clearTimeout(timer));
    unfollow();
    uncut();
  }
}
