import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';
import type { Settled } from '../../plan/settle.ts';

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
