import { randomUUID } from 'node:crypto';
import type { ChatLoadError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import type { Beat, StepOrder, StepWatch } from '../../capacity/player.ts';
import type { Objective } from '../../capacity/objectives/objective.ts';
import { systemClock } from '../../edge/clock.ts';
import { every } from '../../schedule/stop/watch-run.ts';
import { onAbort } from '../../schedule/stop/stop-controller.ts';
import { playLoad, type PlayedLoad } from '../run/play-load.ts';
import type { Fleet, Stops } from '../run/ports.ts';
import type { OpenTarget } from '../run/with-target.ts';
import { Beats, beatsOf } from './beats.ts';

/** Ports of every step of a search. */
export interface StepPorts {
  stops: Pick<Stops, 'drain' | 'cut'>;
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Fleet that runs the load. Default: this process. */
  fleet?: Fleet | undefined;
  note: (text: string) => void;
}

/** A step to run, and its observers. */
interface SteppedPlay extends StepPorts {
  order: StepOrder;
  watch: StepWatch;
  objectives: readonly Objective[];
  /** Called with every window after it was evaluated. */
  observe: (beat: Beat) => void;
}

/** A completed step. */
export interface SteppedLoad extends PlayedLoad {
  /** End of the evaluated part, in milliseconds since the start. */
  judgedMs: number;
}

/** Interval between observations of a step in this process. */
const beatMs = ms(250);

/**
 * Runs the scenario at the level of a step, on new connections. Sending stops as soon as the step is decided; turns in
 * flight may end for a little longer than turns took and are then cut, and are not evaluated. A step in this process is
 * observed four times per second; separate processes publish once per second.
 */
export async function playStep({ settled, baseUrl }: OpenTarget, play: SteppedPlay): Promise<SteppedLoad> {
  const { order, watch, objectives, stops, fleet, note, strayFailed } = play;
  const [halt, cut] = [new AbortController(), new AbortController()];
  const endings: (() => void)[] = [];
  const after = (delayMs: number, act: () => void): void => {
    const timer = setTimeout(act, delayMs);
    endings.push(() => clearTimeout(timer));
  };
  const follower = followStep(order, watch, {
    observe: play.observe,
    end: () => {
      halt.abort();
      after(Math.min(settled.plan.gracePeriodMs, follower.patienceMs()), () => cut.abort());
    },
  });
  let startedAt = systemClock.now();
  endings.push(onAbort(stops.drain, () => follower.stop(systemClock.now() - startedAt)));
  const beats = new Beats(objectives);
  try {
    const played = await playLoad(
      { settled, baseUrl, fleet, run: randomUUID() },
      {
        drain: new AbortController().signal,
        halt: halt.signal,
        cut: AbortSignal.any([stops.cut, cut.signal]),
        strayFailed,
        note,
        warn: ({ message }) => fleet && note(`warning: ${message}`),
        begin: () => {
          startedAt = systemClock.now();
          // Late data must not extend the step beyond its maximum duration.
          if (fleet !== undefined) after(order.maxMs, () => follower.stop(order.maxMs));
          return Promise.resolve({
            add: (piece) => {
              if (fleet !== undefined) beatsOf(piece, objectives).forEach((beat) => follower.take(beat));
            },
            lost: () => undefined,
            failed: new Promise(() => undefined),
          });
        },
        watch: (run) => {
          if (fleet !== undefined) return;
          const observe = (): void => {
            if (follower.stoppedMs() === undefined) follower.take(beats.next(run.live(), run.totals()));
          };
          endings.push(every(beatMs, { clock: systemClock, start: startedAt }, observe));
        },
      },
    );
    return { ...played, judgedMs: follower.stoppedMs() ?? played.outcome.elapsedMs };
  } finally {
    endings.forEach((end) => end());
  }
}

/**
 * Passes windows to the watch until the step is decided or reaches its maximum duration. `end` is called once, `observe`
 * with every window.
 */
function followStep(
  { maxMs }: StepOrder,
  watch: StepWatch,
  { end, observe }: { end: () => void; observe: (beat: Beat) => void },
) {
  let stoppedMs: number | undefined;
  let turnMeanMs = 0;
  const stop = (atMs: number): void => {
    if (stoppedMs !== undefined) return;
    stoppedMs = atMs;
    end();
  };
  const take = (beat: Beat): void => {
    if (stoppedMs !== undefined) return;
    turnMeanMs = beat.turnMeanMs ?? turnMeanMs;
    const untilMs = beat.startMs + beat.lengthMs;
    const next = watch.beat(beat);
    observe(beat);
    if (next === 'stop' || untilMs >= maxMs) stop(untilMs);
  };
  return {
    take,
    /** Ends the step. */
    stop,
    /** Time of the end, in milliseconds since the start of the step. */
    stoppedMs: () => stoppedMs,
    /** Time for turns in flight to end: twice the mean turn, so that the next step starts with an idle service. */
    patienceMs: () => 1000 + 2 * turnMeanMs,
  };
}
