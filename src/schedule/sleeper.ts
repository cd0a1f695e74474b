import type { Clock, Instant } from '../base/time.ts';
import type { Brake, BrakeLevel } from './brake.ts';

type Wake = (onTime: boolean) => void;

/** Sleeps that end at an instant or when the brake reaches a level: one listener a level, however many sleep. */
export class Sleeper {
  readonly #clock: Clock;
  readonly #brake: Brake;
  readonly #sleeping: Readonly<Record<'drain' | 'halt', Set<Wake>>> = { drain: new Set(), halt: new Set() };

  constructor(clock: Clock, brake: Brake) {
    this.#clock = clock;
    this.#brake = brake;
    for (const level of ['drain', 'halt'] as const) brake.when(level, () => this.#wakeAll(level));
  }

  /** Resolves to true at the instant, never before it, or to false as soon as the brake reaches `wakeOn`. */
  sleepUntil(at: Instant, wakeOn: BrakeLevel & ('drain' | 'halt')): Promise<boolean> {
    if (this.#brake.reached(wakeOn)) return Promise.resolve(false);
    if (at <= this.#clock.now()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const sleeping = this.#sleeping[wakeOn];
      const wake: Wake = (onTime) => {
        sleeping.delete(wake);
        if (!onTime) callOff();
        resolve(onTime);
      };
      sleeping.add(wake);
      const callOff = this.#clock.wakeAt(at, () => wake(true));
    });
  }

  #wakeAll(level: 'drain' | 'halt'): void {
    for (const wake of [...this.#sleeping[level]]) wake(false);
  }
}
