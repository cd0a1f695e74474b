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

/** What surrounds every step of a search. */
export interface StepPorts {
  stops: Pick<Stops, 'drain' | 'cut'>;
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Processes that play it; none: this one does. */
  fleet?: Fleet | undefined;
  note: (text: string) => void;
}

/** A step to be played, and who looks at it. */
interface SteppedPlay extends StepPorts {
  order: StepOrder;
  watch: StepWatch;
  objectives: readonly Objective[];
  /** Is called with every beat, when it has been judged. */
  seen: (beat: Beat) => void;
}

/** A step that was played. */
export interface SteppedLoad extends PlayedLoad {
  /** Until when it is judged, in milliseconds since its start. */
  judgedMs: number;
}

/** How often a step in this process is looked at. */
const beatMs = ms(250);

/**
 * Plays a step, its scenario at the level of the step, on connections of its own. When enough is known nothing more is
 * sent; what is in flight may end by itself for a little longer than turns took, and is then cut: neither is in what was
 * judged. A step in this process is looked at four times a second; processes of its own publish once a second.
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
    seen: play.seen,
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
          // What comes late must not let it go on for longer than it may.
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
          const look = (): void => {
            if (follower.stoppedMs() === undefined) follower.take(beats.next(run.live(), run.totals()));
          };
          endings.push(every(beatMs, { clock: systemClock, start: startedAt }, look));
        },
      },
    );
    return { ...played, judgedMs: follower.stoppedMs() ?? played.outcome.elapsedMs };
  } finally {
    endings.forEach((end) => end());
  }
}

/**
 * Hands beats to who judges a step, until enough is known or the step has lasted as long as it may. `end` is called once;
 * `seen` with every beat.
 */
function followStep(
  { maxMs }: StepOrder,
  watch: StepWatch,
  { end, seen }: { end: () => void; seen: (beat: Beat) => void },
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
    seen(beat);
    if (next === 'stop' || untilMs >= maxMs) stop(untilMs);
  };
  return {
    take,
    /** Enough is known, or something else ends it. */
    stop,
    /** When it was known, in milliseconds since the start of the step. */
    stoppedMs: () => stoppedMs,
    /** How long what is in flight may take to end: twice what it took, so that the next step finds the service idle. */
    patienceMs: () => 1000 + 2 * turnMeanMs,
  };
}
