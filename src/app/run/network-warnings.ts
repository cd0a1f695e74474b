import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { type Warning, endingWarnings } from '../../result/sections/warning.ts';
import type { ProbedConnection } from '../../edge/http/probe-connection.ts';
import type { Plan } from '../../plan/plan.ts';
import { isIP } from 'node:net';
import { readResolveEntry } from '../../scenario/resolve-entry.ts';

/** Returns warnings about network options of the target that are known before anything is sent; they are part of the result. */
export function tlsWarningsOf(
  { plan, tlsFiles, auth }: Pick<ResolvedScenario, 'plan' | 'tlsFiles' | 'auth'>,
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
    'The certificate of the token server was not verified (target.auth.oauth.insecure): the client secret may have been intercepted.',
  remedy:
    'Name the certificate authority of the token server with --ca, and replace the client secret if it is used in production.',
};

/** Returns warnings about the expiry of the target's certificate at the start; the result reports the certificates of its own connections. */
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
      message: `The connection to ${baseUrl ?? 'the embedded service'} is not encrypted: ${idle.join(', ')} had no effect.`,
      remedy: 'Use a base URL that starts with https://, or omit these options.',
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
      message: `${idle.join(', ')} (target.resolve) does not match ${host}:${String(port)} and had no effect.`,
      remedy: 'Name the host and the port of the base URL.',
    },
  ];
}
