import { createHash } from 'node:crypto';
import { readBytesSync } from '../../open-file.ts';

/** SHA-256 of the bytes of a scenario file, by which a worker recognizes it. Imports and data files are not covered. */
export function scenarioDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The same for a file. Throws what the system reports. */
export function readScenarioDigest(file: string): string {
  return scenarioDigest(readBytesSync(file));
}

/** The form in which people compare digests. */
export function shortDigest(digest: string | null): string {
  return digest === null ? 'none' : digest.slice(0, 12);
}
