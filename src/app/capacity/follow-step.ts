import type { Beat } from '../../capacity/beat.ts';
import type { StepOrder, StepWatch } from '../../capacity/player.ts';

/** Hands beats to who judges a step, until enough is known or the step has lasted as long as it may. */
export class StepFollower {
  /** When it was known, in milliseconds since the start of the step. */
  stoppedMs: number | undefined;
  /** How long turns took at last. */
  turnMeanMs = 0;
  readonly #watch: StepWatch;
  readonly #mostMs: number;
  readonly #end: () => void;
  readonly #seen: (beat: Beat) => void;

  /** `end` is called once; `seen` with every beat. */
  constructor({ mostMs }: StepOrder, watch: StepWatch, { end, seen }: { end: () => void; seen: (beat: Beat) => void }) {
    this.#watch = watch;
    this.#mostMs = mostMs;
    this.#end = end;
    this.#seen = seen;
  }

  take(beat: Beat): void {
    if (this.stoppedMs !== undefined) return;
    this.turnMeanMs = beat.turnMeanMs ?? this.turnMeanMs;
    const untilMs = beat.startMs + beat.lengthMs;
    const next = this.#watch.beat(beat);
    this.#seen(beat);
    if (next === 'stop' || untilMs >= this.#mostMs) this.stop(untilMs);
  }

  /** Enough is known, or something else ends it. */
  stop(atMs: number): void {
    if (this.stoppedMs !== undefined) return;
    this.stoppedMs = atMs;
    this.#end();
  }

  /** How long what is in flight may take to end: twice what it took, so that the next step finds the service idle. */
  get patienceMs(): number {
    return 1000 + 2 * this.turnMeanMs;
  }
}
