import { Skipped } from './skipped.ts';

/** Skips a rule about keys where the service is asked without any. */
export function requireKey({ isOpen }: { isOpen?: boolean }): void {
  if (isOpen === true) throw new Skipped("the scenario asks without a key (target.auth: 'none')");
}
