import { randomBytes, randomUUID } from 'node:crypto';
import { saltLength, type RunKey } from '../plan/script.ts';

/** Returns a new salt for a run: eight characters of base 32. */
export function newSalt(): string {
  return Array.from(randomBytes(saltLength), (byte) => (byte % 32).toString(32)).join('');
}

/** Returns the key of requests outside of a recorded run. */
export function newRun(): RunKey {
  return { id: randomUUID(), salt: newSalt() };
}
