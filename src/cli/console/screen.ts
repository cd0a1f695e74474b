import { createLogUpdate } from 'log-update';
import type { Screen, Stops } from '../../app/run/ports.ts';
import { showProgress, type ProgressDisplay } from '../../edge/live/show-progress.ts';
import { printable } from '../../base/printable.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import { progressBlock, progressLine, type Progress } from '../../report/progress/progress.ts';
import { followForecast, forecastRest } from '../../record/forecast-rest.ts';
import { shownText, stderr } from './terminal.ts';
import { StopRequest } from '../../schedule/stop/stop-controller.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

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

export interface TakenSignals extends Stops {
  /** What the first and the second signal do, asked for in another way; `by`: who asks, for the result. */
  ask(how: 'drain' | 'cut', by: string): void;
  /** Gives the signals back to the process. */
  release(): void;
}

const signals = Object.keys(signalExitCodes) as readonly SignalName[];

/**
 * Takes SIGINT, SIGTERM and SIGHUP: the first drains, the second cuts, the third exits at once. `notify` is called with
 * what happens next. SIGHUP only drains: a terminal that closes sends it once, its shell once more.
 */
export function takeSignals(notify: (text: string) => void): TakenSignals {
  const drain = new AbortController();
  const cut = new AbortController();
  let first: SignalName | undefined;
  const take = (signal: SignalName): void => {
    first ??= signal;
    if (signal === 'SIGHUP' && drain.signal.aborted) return;
    if (cut.signal.aborted) process.exit(signalExitCodes[first]);
    if (drain.signal.aborted) {
      notify('Cutting what is under way; the result is still written. A third signal leaves without it.');
      cut.abort(first);
      return;
    }
    notify('Stopping: no new session starts, those under way may finish. A second signal cuts them.');
    drain.abort(first);
  };
  const ask = (how: 'drain' | 'cut', by: string): void => {
    const controller = how === 'drain' ? drain : cut;
    if (controller.signal.aborted || cut.signal.aborted) return;
    notify(how === 'drain' ? `Draining, by ${by}.` : `Cutting, by ${by}; the result is still written.`);
    controller.abort(new StopRequest(by));
  };
  for (const signal of signals) process.on(signal, take);
  return {
    drain: drain.signal,
    cut: cut.signal,
    signal: () => first,
    ask,
    release: () => {
      for (const signal of signals) process.off(signal, take);
    },
  };
}
