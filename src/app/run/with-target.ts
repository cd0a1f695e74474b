import { startEmbedded } from '../../reference-service/embedded.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { withAccess } from './open-access.ts';
import { primeGenerator } from './prime-generator.ts';
import { senderOptions } from './open-generator.ts';
import { probeConnection, type ProbedConnection } from '../../edge/http/probe-connection.ts';
import type { SenderOptions } from '../../edge/http/sender/sender-options.ts';
import type { Plan } from '../../plan/plan.ts';
import { isIP } from 'node:net';
import { readResolveEntry } from '../../scenario/resolve-entry.ts';
import { endingWarnings } from '../../result/sections/warning.ts';
import { ChatLoadError } from '../../base/errors.ts';
import { checkHost } from './check-settled.ts';

/** A target that is ready for load. */
export interface OpenTarget {
  /** The scenario as it is spoken there, with its token. */
  settled: Settled;
  baseUrl: URL;
}

/** Performs something with the service of a scenario: the embedded one is started before it and closed after it. */
export async function withService<Made>(
  { embedded: options, plan }: Settled,
  cores: number,
  perform: (baseUrl: URL) => Promise<Made>,
): Promise<Made> {
  const embedded = options && (await startEmbedded(options, { cores }));
  try {
    return await perform(new URL(embedded?.baseUrl ?? plan.target.baseUrl ?? ''));
  } finally {
    await embedded?.close();
  }
}

/**
 * Opens a target for load from this process, and performs something with it: connects once, obtains the token and
 * compiles the code of a turn. Throws `environment` if the target cannot be reached; nothing was sent then.
 */
export async function withTarget<Made>(
  settled: Settled,
  { baseUrl, warn }: { baseUrl: URL; warn?: ((warning: Warning) => void) | undefined },
  perform: (target: OpenTarget) => Promise<Made>,
): Promise<Made> {
  const { reached, notes } = await reachTarget(settled, senderOptions(baseUrl, settled));
  for (const note of notes) warn?.(note);
  return withAccess(reached, async (opened) => {
    await primeGenerator();
    return perform({ settled: opened, baseUrl });
  });
}

/**
 * Looks whether the target can be reached, and gives the scenario as it is spoken there: over HTTP/2 where the server
 * speaks nothing else. `notes` say what is worth knowing before the start. Throws what `probeConnection` throws.
 */
export async function reachTarget(
  settled: Settled,
  options: SenderOptions,
): Promise<{ reached: Settled; notes: Warning[] }> {
  const probed = await probeConnection(options);
  const notes = probedWarnings(probed);
  const { plan } = settled;
  if (probed.speaks === 'http/1.1' || plan.target.http2) return { reached: settled, notes };
  return { reached: { ...settled, plan: overHttp2(plan) }, notes: [...notes, speaksHttp2] };
}

/** A plan as others have found that it is spoken: what they warn of says so. */
export function asHeard<Spoken extends Pick<Plan, 'target'>>(plan: Spoken, codes: ReadonlySet<string>): Spoken {
  return codes.has(speaksHttp2.code) ? overHttp2(plan) : plan;
}

const overHttp2 = <Spoken extends Pick<Plan, 'target'>>(plan: Spoken): Spoken => ({
  ...plan,
  target: { ...plan.target, http2: true },
});

const speaksHttp2: Warning = {
  code: 'http2_alone',
  message: 'The target speaks HTTP/2 alone: so does this run.',
  remedy: 'Say so with target.http2 (--http2).',
};

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
function probedWarnings({ tls }: ProbedConnection, now = Date.now()): Warning[] {
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

/** Checks whether a target can be reached before anything long is begun; sends nothing. Throws what `checkHost` and `probeConnection` throw, with whose target it is, if that is given. */
export async function requireReachable(settled: Settled, whose?: string): Promise<void> {
  checkHost(settled);
  const { baseUrl } = settled.plan.target;
  if (baseUrl === null) return;
  try {
    await probeConnection(senderOptions(new URL(baseUrl), settled));
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError) || whose === undefined) throw thrown;
    const { code, message, hint } = thrown;
    throw new ChatLoadError(code, { message: `${whose}: ${message}`, hint, cause: thrown });
  }
}
