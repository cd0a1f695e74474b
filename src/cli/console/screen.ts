import { createLogUpdate } from 'log-update';
import type { Screen, Stops } from '../../app/run/ports.ts';
import { showProgress, type ProgressDisplay } from '../../edge/live/show-progress.ts';
import { printable, printableLines } from '../../base/printable.ts';
import type { Live } from '../../record/live.ts';
import { progressBlock, progressLine, type Progress } from '../../report/progress.ts';
import { followForecast, forecastRest } from '../../record/forecast-rest.ts';
import { wrapLines } from '../../report/words/width.ts';
import { shownText, stderr } from './terminal.ts';
import { StopRequest } from '../../schedule/stop/stop-controller.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

const silent: ProgressDisplay = { note: (text) => stderr.line(printableLines(text)), stop: () => undefined };

/** Opens the progress display on standard error; a quiet screen only shows notes. */
export function openScreen(isQuiet: boolean): Screen {
  let display = silent;
  return {
    note: (text) => display.note(stderr.fitted(shownText(printable(text), stderr.isColored))),
    follow: (live, resolved) => {
      const forecast = followForecast((now) => forecastRest(now, resolved));
      const progress = (now: Live): Progress => ({ live: now, plan: resolved.plan, ...forecast(now) });
      if (!isQuiet)
        display = showProgress({
          stream: process.stderr,
          live,
          block: (now) => shownText(progressBlock(progress(now), stderr), stderr.isColored),
          line: (now) => wrapped(progressLine(progress(now))),
        });
      return () => {
        display.stop();
        display = silent;
      };
    },
  };
}

/** Wraps a progress line at its separators: logs and pipes are read at 80 columns. */
const wrapped = (line: string): string =>
  line.split(' | ').reduce((text, part) => {
    const length = text.length - text.lastIndexOf('\n') - 1;
    return `${text}${length + part.length + 3 > 80 ? '\n  ' : ' | '}${part}`;
  });

export interface Status {
  notify: (text: string) => void;
  note: (text: string) => void;
  stop: () => void;
}

/** Opens a status line, redrawn in place on a terminal; elsewhere only notes are written, wrapped like progress. */
function openStatus(doing: string): Status {
  const note = (text: string): void => stderr.line(printableLines(wrapLines(printable(text), stderr.width)));
  if (!stderr.isTTY) return { notify: () => undefined, note, stop: () => undefined };
  const update = createLogUpdate(process.stderr);
  return {
    notify: (text) => update(stderr.colors.cyan(shownText(`${doing}: ${printable(text)}`, false))),
    note: (text) => {
      update.clear();
      note(text);
    },
    stop: () => {
      update.clear();
      update.done();
    },
  };
}

/**
 * Runs a lengthy operation with a status line; signals stop it. `signalNotes` are written at the first signal and at
 * later ones.
 */
export async function withStatus<Done>(
  doing: string,
  signalNotes: readonly [string, ...string[]],
  perform: (status: Status, stops: TakenSignals) => Promise<Done>,
): Promise<Done> {
  const status = openStatus(doing);
  let signals = 0;
  const stops = takeSignals(() =>
    status.note(signalNotes[Math.min(signals++, signalNotes.length - 1)] ?? signalNotes[0]),
  );
  try {
    return await perform(status, stops);
  } finally {
    status.stop();
    stops.release();
  }
}

export interface TakenSignals extends Stops {
  /** Drains or cuts without a signal; `by` names the origin in the result. */
  request(how: 'drain' | 'cut', by: string): void;
  /** Restores the default handling of signals. */
  release(): void;
}

const signals = Object.keys(signalExitCodes) as readonly SignalName[];

/**
 * Handles SIGINT, SIGTERM and SIGHUP: the first drains, the second cuts, the third exits at once. `notify` announces each
 * step. SIGHUP only drains: a closing terminal sends it once, and its shell again.
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
      notify('Cutting active sessions; the result is still written. A third signal exits without it.');
      cut.abort(first);
      return;
    }
    notify('Stopping: no new session starts, active ones may finish. A second signal cuts them.');
    drain.abort(first);
  };
  const request = (how: 'drain' | 'cut', by: string): void => {
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
    request,
    release: () => {
      for (const signal of signals) process.off(signal, take);
    },
  };
}
