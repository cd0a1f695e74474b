import { planSession } from './session-plan.ts';
import type { Settled } from './settle.ts';

/** The scenario as its first session is authorized, for all: where a few exchanges are made, and not sessions. */
export function withFirstIdentity(settled: Settled): Settled {
  const { script, auth, secrets } = settled;
  const { identity, headers } = script;
  if (identity === undefined || !auth.isBySession) return settled;
  const alone = { ...script, headers: { constant: {}, rendered: [identity] } };
  const { text, secrets: found } = planSession(alone, 1).headers(1);
  found.forEach((secret) => secrets.pass(secret));
  const value = text.slice(`${identity.name}: `.length).trimEnd();
  const rendered = headers.rendered.filter((part) => part !== identity);
  const scheme = Object.values(auth.authorize('')).join('');
  return {
    ...settled,
    apiKey: value.slice(scheme.length),
    auth: { ...auth, isBySession: false },
    script: { ...script, identity: undefined, headers: { ...headers, rendered } },
  };
}
