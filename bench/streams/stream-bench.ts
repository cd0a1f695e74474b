import type { Load } from '../measure.ts';

/** What the parts about streams are measured with. */
export interface StreamBench {
  folder: string;
  rounds: number;
  load: Load;
  /** Of the full sizes: below 1, only whether everything works. */
  scale: number;
  /** Another checkout, built, whose whole turns are measured beside ours. */
  before: string | undefined;
  tell: (text: string) => void;
}
