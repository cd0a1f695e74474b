import { noFigures } from '../run/generator-limit.ts';
import { randomOf } from '../../../base/random.ts';
import type { PlayedStep, StepOrder, StepPlayer, StepWatch } from '../judge/player.ts';
import type { ModelledService } from '../../../../test/support/modelled-services.ts';
import { ModelledStep, type Workload } from './modelled-step.ts';

/** The search judges none of them. */
export { noFigures as emptyFigures };

/** Interval of a player in one process. */
const beatMs = 250;

/** Plays steps against a modelled service in virtual time. */
export class ModelledPlayer implements StepPlayer {
  readonly #workload: Workload;
  readonly #service: ModelledService;
  readonly #seed: number;
  #nowMs = 0;

  constructor(workload: Workload, service: ModelledService, seed: number) {
    [this.#workload, this.#service, this.#seed] = [workload, service, seed];
  }

  play(order: StepOrder, watch: StepWatch): Promise<PlayedStep> {
    const random = randomOf(this.#seed, order.number);
    const { load, by } = order;
    const setting = { load, by, startsAt: this.#nowMs, random, beatMs };
    const step = new ModelledStep(this.#workload, this.#service, setting);
    let elapsedMs = 0;
    for (let isOver = false; !isOver;) {
      const beat = step.beat();
      elapsedMs = beat.startMs + beat.lengthMs;
      const said = watch.beat(beat);
      isOver = said === 'stop' || elapsedMs >= order.maxMs || step.sent >= (order.maxTurns ?? Infinity);
    }
    this.#nowMs += elapsedMs;
    // The next step finds the service idle.
    this.#nowMs = Math.max(this.#nowMs, step.abandon());
    const { sent, sessions } = step;
    return Promise.resolve({
      elapsedMs,
      sent,
      sessions,
      cost: 0,
      figures: noFigures,
      generatorLimit: null,
      stop: null,
    });
  }

  rest(forMs: number): Promise<void> {
    this.#nowMs += forMs;
    return Promise.resolve();
  }

  elapsedMs(): number {
    return this.#nowMs;
  }
}
