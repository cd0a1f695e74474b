import type { Stops } from '../../app/run/ports.ts';
import { StopRequest } from '../../schedule/stop/stop-controller.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';

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
