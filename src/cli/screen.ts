import { showProgress, type ProgressDisplay } from '../edge/live/show-progress.ts';
import type { Plan } from '../plan/plan.ts';
import type { Live } from '../record/live.ts';
import { progressBlock, progressLine } from '../report/progress.ts';
import { shownText, stderr } from './terminal.ts';

/** Where runs are followed, one after another: standard error. */
export interface Screen {
  /** Writes a line that stays. */
  note(text: string): void;
  /** Follows a run, until the returned function is called. */
  follow(live: () => Live, plan: Plan): () => void;
}

const silent: ProgressDisplay = { note: (text) => stderr.line(text), stop: () => undefined };

/** A quiet screen shows notes alone. */
export function openScreen(isQuiet: boolean): Screen {
  let display = silent;
  return {
    note: (text) => display.note(shownText(text, stderr.isColored)),
    follow: (live, { sessions, durationMs }) => {
      if (!isQuiet)
        display = showProgress({
          stream: process.stderr,
          live,
          block: (now) => progressBlock({ live: now, sessions, durationMs }, stderr),
          line: (now) => progressLine({ live: now, sessions, durationMs }),
        });
      return () => {
        display.stop();
        display = silent;
      };
    },
  };
}
