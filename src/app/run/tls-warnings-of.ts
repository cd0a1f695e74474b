import { isIP } from 'node:net';
import type { ProbedConnection } from '../../edge/http/probe-connection.ts';
import { readResolveEntry } from '../../scenario/resolve-entry.ts';
import type { Settled } from '../../plan/settle.ts';
import { endingWarnings } from '../../result/warnings/tls-warnings.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { Plan } from '../../plan/plan.ts';

/** What is known to be doubtful about the target's options of network before anything is sent: part of the result. */
export function tlsWarningsOf(
  { plan, tlsFiles, auth }: Pick<Settled, 'plan' | 'tlsFiles' | 'auth'>,
  now = Date.now(),
): Warning[] {
  const validTo = tlsFiles?.clientValidTo?.toISOString() ?? null;
  return [
    ...endingWarnings({ whose: 'client', issuer: '', validTo }, now),
    ...(auth.tokens?.from === 'oauth' && auth.tokens.insecure ? [unverifiedTokenServer] : []),
    ...unusedTls(plan.target),
    ...unusedAddresses(plan.target),
  ];
}

const unverifiedTokenServer: Warning = {
  code: 'token_server_not_verified',
  message:
    'The certificate of the token server was not verified (target.auth.oauth.insecure): the client secret may be known to anyone on the way.',
  remedy: 'Name the authority of the token server with --ca, and replace the client secret if it is one of production.',
};

/** What the end of the target's certificate is worth saying at the start; the result says it by what its connections saw. */
export function probedWarnings({ tls }: ProbedConnection, now = Date.now()): Warning[] {
  return tls === null ? [] : endingWarnings({ whose: 'target', ...tls }, now);
}

const flags = [
  ['ca', '--ca'],
  ['cert', '--cert'],
  ['pfx', '--pfx'],
  ['serverName', '--tls-server-name'],
  ['minVersion', '--tls-min-version'],
] as const;

function unusedTls({ baseUrl, tls }: Plan['target']): Warning[] {
  const given = flags.flatMap(([name, flag]) => (tls[name] === null ? [] : [flag]));
  const idle = [...(tls.insecure ? ['--insecure'] : []), ...given];
  if (baseUrl?.startsWith('https:') === true || idle.length === 0) return [];
  return [
    {
      code: 'tls_options_unused',
      message: `Nothing is encrypted between here and ${baseUrl ?? 'the embedded service'}: ${idle.join(', ')} had no effect.`,
      remedy: 'Give a base URL that begins with https://, or leave them out.',
    },
  ];
}

function unusedAddresses({ baseUrl, resolve }: Plan['target']): Warning[] {
  const url = new URL(baseUrl ?? 'http://localhost');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname.replace(/^\[(.*)\]$|\.$/g, '$1');
  const idle = (resolve ?? []).filter((text) => {
    const read = readResolveEntry(text);
    return isIP(host) !== 0 || !('host' in read && read.host === host && read.port === port);
  });
  if (idle.length === 0) return [];
  return [
    {
      code: 'resolve_unused',
      message: `${idle.join(', ')} (target.resolve) is not for ${host}:${String(port)}, and had no effect.`,
      remedy: 'Name the host and the port of the base URL.',
    },
  ];
}
