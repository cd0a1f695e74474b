import { createHook } from 'node:async_hooks';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

export interface Watch {
  /** Resources opened since the start and still open, by kind; closing sockets take a moment. */
  left: () => Promise<string[]>;
}

/**
 * Follows what this process opens until the test is over: sockets and lookups that keep it alive, and every timer, also
 * one that does not (`process.getActiveResourcesInfo()` leaves those out).
 */
export function watchHandles(): Watch {
  const before = countHandles();
  const timers = new Set<number>();
  const hook = createHook({
    init: (id, type) => {
      if (type === 'Timeout') timers.add(id);
    },
    destroy: (id) => void timers.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  const look = (): string[] => [
    ...[...countHandles()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind),
    ...[...timers].map(() => 'Timeout'),
  ];
  return {
    left: async () => {
      for (let looks = 1; ; looks++) {
        await sleep(5);
        // A timer that has fired is there for two more turns of the loop, this one's own too.
        await turn();
        await turn();
        if (look().length === 0 || looks === 400) return look();
      }
    },
  };
}

function countHandles(): Map<string, number> {
  const kinds = process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS|Pipe|GetAddr)/.test(kind));
  return kinds.reduce((counts, kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1), new Map<string, number>());
}
