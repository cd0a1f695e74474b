import { messageOf } from '../../base/errors.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { RunObserver, RunUnderWay, Stops } from './ports.ts';

/** Shows a run to its observers; none of them can end it. The returned function ends that and gives what they lost. */
export function observeRun(
  observers: readonly RunObserver[],
  run: RunUnderWay,
): (stops: Pick<Stops, 'drain' | 'cut'>) => Promise<Warning[]> {
  const observed = observers.map((observer) => {
    try {
      return observer.observe(run);
    } catch (thrown) {
      return { end: () => Promise.resolve([failed(thrown)]) };
    }
  });
  return async ({ drain, cut }) => {
    // A run that a signal has ended already may still wait for its last export; the next signal ends that.
    const hurry = drain.aborted ? cut : drain;
    const lost = await Promise.all(
      observed.map((each) => each.end(hurry).catch((thrown: unknown) => [failed(thrown)])),
    );
    return lost.flat();
  };
}

const failed = (thrown: unknown): Warning => ({
  code: 'metrics_not_exported',
  message: `The export of metrics failed: ${messageOf(thrown)}`,
  remedy: null,
});
