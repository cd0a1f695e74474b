import type { Screen } from '../app/run/ports.ts';
import { showProgress, type ProgressDisplay } from '../edge/live/show-progress.ts';
import { printable } from '../base/printable.ts';
import type { Settled } from '../plan/settle.ts';
import type { Live } from '../record/live.ts';
import { progressBlock, progressLine, type Progress } from '../report/progress/progress.ts';
import { followForecast } from '../record/follow-forecast.ts';
import { forecastRest } from '../record/forecast-rest.ts';
import { shownText, stderr } from './terminal.ts';

const silent: ProgressDisplay = { note: (text) => stderr.note(text), stop: () => undefined };

/** Runs are followed on standard error; a quiet screen shows notes alone. */
export function openScreen(isQuiet: boolean): Screen {
  let display = silent;
  return {
    note: (text) => display.note(shownText(printable(text), stderr.isColored)),
    follow: (live, settled) => {
      const progress = progressOf(settled);
      if (!isQuiet)
        display = showProgress({
          stream: process.stderr,
          live,
          block: (now) => shownText(progressBlock(progress(now), stderr), stderr.isColored),
          line: (now) => progressLine(progress(now)),
        });
      return () => {
        display.stop();
        display = silent;
      };
    },
  };
}

function progressOf(settled: Pick<Settled, 'plan' | 'script'>): (live: Live) => Progress {
  const follow = followForecast((live) => forecastRest(live, settled));
  return (live) => ({ live, plan: settled.plan, ...follow(live) });
}
