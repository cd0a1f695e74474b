import type { Load } from '../measure.ts';

/** Options of the parts about streams. */
export interface StreamBench {
  folder: string;
  rounds: number;
  load: Load;
  /** Fraction of the full sizes; below 1 only as a smoke test. */
  scale: number;
  /** Path of another built checkout for comparing non-streamed turns. */
  before: string | undefined;
  report: (text: string) => void;
}
