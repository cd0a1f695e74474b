import type { Plan } from '../../plan/plan.ts';

/** Says that a target's certificates are not verified; '' where they are, or there are none. */
export function insecureLine({ target: { baseUrl, tls } }: Pick<Plan, 'target'>): string {
  if (!tls.insecure || baseUrl?.startsWith('https:') !== true) return '';
  return 'INSECURE  no certificate is verified (--insecure): anyone on the way can read the key and answer for the service';
}
