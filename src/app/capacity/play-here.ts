import { ms } from '../../base/time.ts';
import type { StepOrder, StepWatch } from '../../capacity/player.ts';
import type { Beat } from '../../capacity/beat.ts';
import type { Objective } from '../../capacity/objectives/objective.ts';
import type { ChatLoadError } from '../../base/errors.ts';
import { systemClock } from '../../edge/clock.ts';
import type { SenderOptions } from '../../edge/http/http1/sender.ts';
import type { Settled } from '../../plan/settle.ts';
import type { GeneratorHealth } from '../../result/sections/generator-health.ts';
import type { GeneratorSample } from '../../result/sections/generator-interval.ts';
import type { Worker } from '../../result/sections/worker.ts';
import type { RunOutcome } from '../../run.ts';
import { every } from '../../schedule/stop/every.ts';
import { conductRun } from '../run/conduct-run.ts';
import { openGenerator } from '../run/open-generator.ts';
import type { Stops } from '../run/ports.ts';
import { Beats } from './beats.ts';
import { StepFollower } from './follow-step.ts';

/** A step to be played, and who looks at it. */
export interface SteppedPlay {
  /** The scenario at the level of the step. */
  settled: Settled;
  order: StepOrder;
  watch: StepWatch;
  objectives: readonly Objective[];
  stops: Pick<Stops, 'drain' | 'cut'>;
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Is called with every beat, when it has been judged. */
  seen: (beat: Beat) => void;
}

/** A step that was played. */
export interface PlayedLoad {
  outcome: RunOutcome;
  /** Until when it is judged, in milliseconds since its start. */
  judgedMs: number;
  health: GeneratorHealth | null;
  samples: readonly GeneratorSample[];
  workers: readonly Worker[] | null;
}

/** How often a step in this process is looked at. */
const beatMs = ms(250);

/**
 * Plays a step in this process, on connections of its own. When enough is known nothing more is sent; what is in flight
 * may end by itself for a little longer than turns took, and is then cut: neither is in what was judged.
 */
export async function playHere(play: SteppedPlay, target: SenderOptions): Promise<PlayedLoad> {
  const { settled, order, watch, stops } = play;
  const [halt, cut] = [new AbortController(), new AbortController()];
  const generator = openGenerator(target, settled.access);
  const startedAt = systemClock.now();
  const elapsedMs = (): number => systemClock.now() - startedAt;
  const ending: { patience?: NodeJS.Timeout; stopBeats?: () => void } = {};
  const follower = new StepFollower(order, watch, {
    seen: play.seen,
    end: () => {
      halt.abort();
      ending.patience = setTimeout(() => cut.abort(), Math.min(settled.plan.gracePeriodMs, follower.patienceMs));
    },
  });
  const unfollow = onAbort(stops.drain, () => follower.stop(elapsedMs()));
  const beats = new Beats(play.objectives);
  try {
    const outcome = await conductRun(settled, {
      sender: generator.sender,
      clock: systemClock,
      stops: { drain: new AbortController().signal, cut: AbortSignal.any([stops.cut, cut.signal]) },
      halt: halt.signal,
      strayFailed: play.strayFailed,
      watch: (run) => {
        ending.stopBeats = every(beatMs, { clock: systemClock, start: startedAt }, (now) => {
          if (follower.stoppedMs === undefined) follower.take(beats.next(run.live(now), run.totals()));
        });
      },
    });
    const { samples, account } = await generator.end();
    const judgedMs = follower.stoppedMs ?? outcome.elapsedMs;
    return { outcome, judgedMs, health: account.generator, samples, workers: null };
  } catch (thrown) {
    await generator.end();
    throw thrown;
  } finally {
    ending.stopBeats?.();
    clearTimeout(ending.patience);
    unfollow();
  }
}

/** Calls back when a signal is aborted, at once if it is; the returned function cancels that. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
  return () => signal.removeEventListener('abort', act);
}
