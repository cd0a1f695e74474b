import type { Stops } from '../app/run/ports.ts';
import { signalExitCodes, type SignalName } from '../result/exit-code.ts';

interface TakenSignals extends Stops {
  /** Gives the signals back to the process. */
  release(): void;
}

const signals = Object.keys(signalExitCodes) as readonly SignalName[];

/**
 * Takes SIGINT, SIGTERM and SIGHUP: the first drains, the second cuts, the third exits at once. `tell` is called with
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
  for (const signal of signals) process.on(signal, take);
  return {
    drain: drain.signal,
    cut: cut.signal,
    signal: () => first,
    release: () => {
      for (const signal of signals) process.off(signal, take);
    },
  };
}
