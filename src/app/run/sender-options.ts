import { systemClock } from '../../edge/clock.ts';
import type { SenderOptions } from '../../edge/http/http1/sender.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import type { Settled } from '../../plan/settle.ts';
import type { CookieJars } from '../../edge/http/request/cookie-jars.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';
import type { PosterHead } from '../../edge/http/open-poster.ts';
import type { OwnHeaders } from '../../edge/http/request/request-head.ts';
import { traceParents } from '../../edge/http/request/trace-parents.ts';
import { planSession } from '../../plan/session-plan.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';

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

/** The library behind them takes a while to load, and runs without cookies do not need it. */
export async function openJars(baseUrl: string | null, keepSecret: (secret: string) => void): Promise<CookieJars> {
  const { openCookieJars } = await import('../../edge/http/request/cookie-jars.ts');
  // The embedded service is one host, whichever: cookies see no more of it.
  return openCookieJars(new URL(baseUrl ?? 'http://127.0.0.1'), keepSecret);
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

/** What the scenario puts into heads, as its first session has it in its first turn; one jar for all exchanges. */
export async function posterHead(
  { plan, script, secrets }: Settled,
  headers: OwnHeaders = { constant: {}, ofRequests: [] },
): Promise<PosterHead> {
  const keepSecret = (secret: string): void => secrets.pass(secret);
  const session = planSession(script, 1);
  const fieldsOf = (turn: number): HeaderFields => {
    const { fields, secrets: found } = session.headers(turn);
    found.forEach(keepSecret);
    return fields;
  };
  const jars = plan.target.cookies ? await openJars(plan.target.baseUrl, keepSecret) : undefined;
  return {
    ...headers,
    fields: { create: fieldsOf(0), message: fieldsOf(1) },
    jar: jars?.newJar(),
    newTrace: plan.target.trace ? traceParents() : undefined,
  };
}
