import type { Timeline } from './timeline.ts';

/**
 * End of a run. Semantics 2 and 9, docs/guides/soak.md: `drain`: no new session; `halt`: nothing more is sent; `cut`:
 * nothing remains in flight. The first reason is kept, but an unusable target takes precedence over a normal end.
 */
export class RunEnd {
  stop: string | null = null;
  drainedAt = Infinity;
  haltedAt = Infinity;
  cutAt = Infinity;
  #graceBegan = false;
  readonly #timeline: Timeline;
  readonly #gracePeriodMs: number;
  #onDrain: (() => void)[] = [];
  #onHalt: (() => void)[] = [];
  #onCut: (() => void)[] = [];

  constructor(timeline: Timeline, gracePeriodMs: number) {
    this.#timeline = timeline;
    this.#gracePeriodMs = gracePeriodMs;
  }

  get isDrained(): boolean {
    return this.drainedAt < Infinity;
  }

  get isHalted(): boolean {
    return this.haltedAt < Infinity;
  }

  get isInGrace(): boolean {
    return this.#graceBegan;
  }

  because(stop: string): this {
    const isNormal = this.stop === null || this.stop === 'cap' || this.stop === 'max_duration';
    if (this.stop === null || (isNormal && ['target_unfit', 'checks_failed'].includes(stop))) this.stop = stop;
    return this;
  }

  /** No session starts any more; those in progress may finish. */
  drain(): void {
    if (this.isDrained) return;
    this.drainedAt = this.#timeline.now;
    for (const act of this.#onDrain) act();
  }

  /** Starts the grace period of the reason. */
  beginGrace(): void {
    this.drain();
    if (this.#graceBegan) return;
    this.#graceBegan = true;
    this.#timeline.at(this.#timeline.now + this.#gracePeriodMs, () => this.cut());
  }

  halt(): void {
    this.drain();
    if (this.isHalted) return;
    this.haltedAt = this.#timeline.now;
    for (const act of [...this.#onHalt]) act();
  }

  cut(): void {
    this.halt();
    if (this.cutAt < Infinity) return;
    this.cutAt = this.#timeline.now;
    for (const act of [...this.#onCut]) act();
  }

  onDrain(act: () => void): void {
    this.#onDrain.push(act);
  }

  onHalt(act: () => void): () => void {
    this.#onHalt.push(act);
    return () => (this.#onHalt = this.#onHalt.filter((each) => each !== act));
  }

  onCut(act: () => void): () => void {
    this.#onCut.push(act);
    return () => (this.#onCut = this.#onCut.filter((each) => each !== act));
  }
}
