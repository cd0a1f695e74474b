/** The two ways in which a run is told to stop, and the signal that did it. */
export interface Stops {
  drain: AbortSignal;
  cut: AbortSignal;
  /** The first signal; `undefined` while there was none. */
  signal(): 'SIGINT' | 'SIGTERM' | undefined;
  /** Gives the signals back to the process. */
  release(): void;
}

export const signalExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Takes SIGINT and SIGTERM: the first drains, the second cuts, the third leaves at once. `tell` is given what happens next. */
export function takeSignals(tell: (text: string) => void): Stops {
  const drain = new AbortController();
  const cut = new AbortController();
  let first: 'SIGINT' | 'SIGTERM' | undefined;
  const take = (signal: 'SIGINT' | 'SIGTERM'): void => {
    first ??= signal;
    if (cut.signal.aborted) process.exit(signalExitCodes[first]);
    if (drain.signal.aborted) {
      tell('Cutting what is under way; the result is still written. Again leaves without it.');
      cut.abort();
      return;
    }
    tell('Stopping: no new session starts, those under way may finish. Again cuts them.');
    drain.abort();
  };
  process.on('SIGINT', take);
  process.on('SIGTERM', take);
  return {
    drain: drain.signal,
    cut: cut.signal,
    signal: () => first,
    release: () => {
      process.off('SIGINT', take);
      process.off('SIGTERM', take);
    },
  };
}
