import { createContext } from 'preact';

export interface Range {
  fromMs: number;
  toMs: number;
}

/** What all charts over time share: the part that is shown, and the instant that is pointed at. */
export class TimeAxis {
  /** Where the longest of the runs ends. */
  endMs = 1;
  /** `null`: the whole run. */
  range: Range | null = null;
  /** `null`: none. */
  atMs: number | null = null;
  readonly #watchers = new Set<() => void>();

  /** Calls `changed` after every change, until the returned function is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  show(range: Range | null): void {
    if (range?.fromMs === this.range?.fromMs && range?.toMs === this.range?.toMs) return;
    this.range = range;
    this.#tell();
  }

  point(atMs: number | null): void {
    if (atMs === this.atMs) return;
    this.atMs = atMs;
    this.#tell();
  }

  #tell(): void {
    for (const changed of this.#watchers) changed();
  }
}

export const TimeAxisContext = createContext(new TimeAxis());
