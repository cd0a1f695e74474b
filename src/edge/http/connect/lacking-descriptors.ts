import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** What looking up a name may hold at once: the hosts file or a socket to a DNS server, and its configuration. */
const neededForLookup = 3;

/**
 * The error of a process, or a machine, that has too few file descriptors left to look up a name, otherwise
 * `undefined`. The system reports it as a name that does not exist.
 */
export function lackingDescriptors(): Error | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < neededForLookup) opened.push(openSync(devNull, 'r'));
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && /^E[MN]FILE$/.test(String(thrown.code)) ? thrown : undefined;
  } finally {
    opened.forEach(closeSync);
  }
}
