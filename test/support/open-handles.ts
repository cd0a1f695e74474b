import { setTimeout as sleep } from 'node:timers/promises';

/** Sockets, look-ups and timers that keep this process alive, by kind. */
export async function openHandles(): Promise<Map<string, number>> {
  await sleep(5);
  const kinds = process
    .getActiveResourcesInfo()
    .filter((kind) => /^(TCP|TLS|Pipe|GetAddr|Timeout|Immediate)/.test(kind));
  return kinds.reduce((counts, kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1), new Map<string, number>());
}

/** What is there beyond what was there before: empty once all of it is gone, which closing sockets take a moment for. */
export async function handlesLeft(before: ReadonlyMap<string, number>): Promise<string[]> {
  for (let looks = 1; ; looks++) {
    const left = [...(await openHandles())].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (left.length === 0 || looks === 400) return left.map(([kind, count]) => `${String(count)} ${kind}`);
  }
}
