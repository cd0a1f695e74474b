import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './command.ts';

/** The environment of a process that reports its peak memory on standard error when it ends. */
export const reportPeak = { NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/preload/tell-peak.mjs')).href}` };

/** Returns the reported peak memory, in MiB. */
export function peakOf(stderr: string): number {
  return Number(/^peak (\d+) KiB$/m.exec(stderr)?.[1]) / 1024;
}
