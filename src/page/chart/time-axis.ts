import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';

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

interface Followed {
  axis: TimeAxis;
  /** `null`: all is shown. */
  range: Range | null;
  /** `null`: nothing is pointed at. */
  atMs: number | null;
}

/** The shared time axis, followed. */
export function useTimeAxis(): Followed {
  const axis = useContext(TimeAxisContext);
  const [seen, see] = useState({ range: axis.range, atMs: axis.atMs });
  useEffect(() => axis.watch(() => see({ range: axis.range, atMs: axis.atMs })), [axis]);
  return { axis, ...seen };
}
