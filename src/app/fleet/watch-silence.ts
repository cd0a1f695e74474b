import { later, ms, type Clock, type Ms } from '../../base/time.ts';

/** After how long without a heartbeat of its coordinator a worker acts by itself. */
export interface Patience {
  drainAfter: Ms;
  cutAfter: Ms;
  leaveAfter: Ms;
}

export const patience: Patience = { drainAfter: ms(10_000), cutAfter: ms(20_000), leaveAfter: ms(30_000) };

/** What is done about a coordinator that is silent. */
export interface SilenceActions {
  drain(): void;
  cut(): void;
  /** Nobody is expected to listen any more. */
  leave(): void;
}

export interface SilenceWatch {
  heard(): void;
  end(): void;
}

/** Watches for the heartbeats of a coordinator: a load that nobody watches must not go on. */
export function watchSilence(clock: Clock, actions: SilenceActions, limits: Patience): SilenceWatch {
  let cancels: readonly (() => void)[] = [];
  const end = (): void => cancels.forEach((cancel) => cancel());
  const heard = (): void => {
    end();
    const now = clock.now();
    cancels = [
      clock.wakeAt(later(now, limits.drainAfter), () => actions.drain()),
      clock.wakeAt(later(now, limits.cutAfter), () => actions.cut()),
      clock.wakeAt(later(now, limits.leaveAfter), () => actions.leave()),
    ];
  };
  heard();
  return { heard, end };
}
