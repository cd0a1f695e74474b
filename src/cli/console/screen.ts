import { createLogUpdate } from 'log-update';
import type { Screen } from '../../app/run/ports.ts';
import { showProgress, type ProgressDisplay } from '../../edge/live/show-progress.ts';
import { printable } from '../../base/printable.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import { progressBlock, progressLine, type Progress } from '../../report/progress/progress.ts';
import { followForecast } from '../../record/forecast-rest.ts';
import { forecastRest } from '../../record/forecast-rest.ts';
import { takeSignals, type TakenSignals } from './signals.ts';
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

/** One line of standard error that says what is being done. */
export interface Status {
  notify: (text: string) => void;
  /** Writes a line that stays. */
  note: (text: string) => void;
  stop: () => void;
}

/** Redrawn in place on a terminal; nothing elsewhere but notes. */
function openStatus(doing: string): Status {
  if (!stderr.isTTY) return { notify: () => undefined, note: (text) => stderr.note(text), stop: () => undefined };
  const update = createLogUpdate(process.stderr);
  return {
    notify: (text) => update(stderr.colors.cyan(shownText(`${doing}: ${printable(text)}`, false))),
    note: (text) => {
      update.clear();
      stderr.note(text);
    },
    stop: () => {
      update.clear();
      update.done();
    },
  };
}

/**
 * Does what takes a while, with a line that says what is being done and signals that stop it. `told` are the notes at the
 * first signal and at later ones.
 */
export async function withStatus<Done>(
  doing: string,
  told: readonly [string, ...string[]],
  perform: (status: Status, stops: TakenSignals) => Promise<Done>,
): Promise<Done> {
  const status = openStatus(doing);
  let signals = 0;
  const stops = takeSignals(() => status.note(told[Math.min(signals++, told.length - 1)] ?? told[0]));
  try {
    return await perform(status, stops);
  } finally {
    status.stop();
    stops.release();
  }
}
