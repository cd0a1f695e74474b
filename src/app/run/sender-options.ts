import { systemClock } from '../../edge/clock.ts';
import type { SenderOptions } from '../../edge/http/sender/sender-options.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Settled } from '../../plan/settle.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';

/** `undefined`: the scenario has none. */
function ownHeaders({ headers: { constant, rendered } }: Settled['script']): SenderOptions['headers'] {
  const ofRequests = rendered.map(({ name }) => name);
  return ofRequests.length + Object.keys(constant).length === 0 ? undefined : { constant, ofRequests };
}

/** How a settled scenario is sent to a service. */
export function senderOptions(baseUrl: URL, settled: Omit<Settled, 'embedded'>): SenderOptions {
  const { plan, script, apiKey, auth, access, secrets, proxy } = settled;
  return {
    // The plan has times and limits under the names that a sender takes them by.
    ...plan,
    ...plan.target,
    tls: tlsOptionsOf(settled),
    baseUrl,
    proxy,
    apiKey,
    redact: (text) => secrets.redact(text),
    authorize: (key) => auth.authorize(key),
    ...(auth.kind === 'key'
      ? {}
      : { authorization: auth.isBySession ? {} : auth.authorize(access?.credential ?? apiKey) }),
    headers: ownHeaders(script),
    toolVersion,
    clock: systemClock,
  };
}

/** How TLS is spoken with the target of a settled scenario. */
export function tlsOptionsOf({ plan, tlsFiles }: Pick<Settled, 'plan' | 'tlsFiles'>): TlsOptions {
  const { serverName, minVersion, resume, insecure } = plan.target.tls;
  if (tlsFiles === undefined) throw new Error('a scenario with files of TLS was settled without a reader for them');
  const { ca, cert, key, pfx, passphrase } = tlsFiles;
  const files = { ca, cert, key, pfx, passphrase };
  return {
    ...(Object.fromEntries(Object.entries(files).filter(([, value]) => value !== undefined)) as TlsOptions),
    resume,
    rejectUnauthorized: !insecure,
    ...(serverName === null ? {} : { servername: serverName }),
    ...(minVersion === null ? {} : { minVersion }),
  };
}
