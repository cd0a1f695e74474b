import { later, type Clock, type Instant, type Ms } from '../../base/time.ts';

/** Calls `act` at every multiple of `periodMs` from `start` on, skipping those missed in a stall; returns a function that ends it. */
export function every(
  periodMs: Ms,
  { clock, start }: { clock: Clock; start: Instant },
  act: (now: Instant) => void,
): () => void {
  let cancel = (): void => undefined;
  const arm = (): void => {
    const passed = Math.floor((clock.now() - start) / periodMs);
    cancel = clock.wakeAt(later(start, ((passed + 1) * periodMs) as Ms), () => {
      act(clock.now());
      arm();
    });
  };
  arm();
  return () => cancel();
}
