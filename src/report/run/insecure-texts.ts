import type { Plan } from '../../plan/plan.ts';

/** One line for the target and one for its token server if their certificates are not verified. */
export function insecureTexts({ target: { baseUrl, tls }, options }: Pick<Plan, 'target' | 'options'>): string[] {
  return [
    ...(tls.insecure && baseUrl?.startsWith('https:') === true ? [ofTarget] : []),
    ...(options['target.auth.oauth.insecure']?.value === true ? [ofTokenServer] : []),
  ];
}

const ofTarget =
  'INSECURE  the certificate of the target is not verified (--insecure): anyone on the way can read the key and answer for the service';
const ofTokenServer =
  'INSECURE  the certificate of the token server is not verified (target.auth.oauth.insecure): anyone on the way can read the client secret';
