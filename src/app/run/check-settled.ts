import { checkBaseUrl } from '../../edge/http/request/request-head.ts';
import type { Settled } from '../../plan/settle.ts';
import { checkCredential } from './check-credential.ts';
import { checkGates } from './check-gates.ts';
import { checkHost } from './check-host.ts';

/** Refuses what no command accepts: gates that cannot be judged, a base URL that cannot be used, a host that is not allowed, a key that no header can carry. Throws a usage error. */
export function checkSettled(settled: Settled, file: string): void {
  const { baseUrl } = settled.plan.target;
  if (baseUrl !== null) checkBaseUrl(new URL(baseUrl));
  checkGates(settled, file);
  checkHost(settled);
  checkCredential(settled);
}
