import { withPackages } from '../../edge/optional-packages.ts';
import { startEmbedded } from '../../reference-service/embedded.ts';
import { startAgent } from '../../edge/start-agent.ts';
import { plainName } from '../../plan/host-names.ts';
import { modelAddressLines, modelOrigin, modelVariables } from '../../plan/model-address.ts';
import { openModel, type OpenModel } from '../model/open-model.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { type Warning, endingWarnings } from '../../result/sections/warning.ts';
import { primeGenerator } from './conduct-run.ts';
import { senderOptions, tlsOptionsOf } from './open-generator.ts';
import { loadSigner, signaturePackage } from '../../edge/http/sender/sign-requests.ts';
import { loadTransport } from '../../edge/http/open-sender.ts';
import { probeConnection, type ProbedConnection } from '../../edge/http/probe-connection.ts';
import type { SenderOptions } from '../../edge/http/sender/sender-options.ts';
import type { Plan } from '../../plan/plan.ts';
import { isIP } from 'node:net';
import { readResolveEntry } from '../../scenario/resolve-entry.ts';
import { ChatLoadError, messageOf, environmentError } from '../../base/errors.ts';
import { checkHost } from './check-resolved.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { systemClock } from '../../edge/clock.ts';
import { fetchThrough } from '../../edge/http/fetch-through.ts';
import { openTokenSource } from '../../edge/tokens/open-token-source.ts';
import { TokenFailure } from '../../edge/tokens/token.ts';
import { TokenKeeper } from '../../edge/tokens/token-keeper.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';
import type { TokenSource } from '../../plan/resolve-auth.ts';

export interface OpenTarget {
  /** Scenario with the HTTP version and token of the target. */
  resolved: ResolvedScenario;
  baseUrl: URL;
  /** The model service behind the agent. */
  model: OpenModel | undefined;
}

interface ServiceNeeds {
  /** Number of cores for the embedded service. */
  cores?: number;
  note: (text: string) => void;
  /** Ends the wait for the agent that the scenario starts. */
  stop?: AbortSignal | undefined;
}

/**
 * Calls a function with the service of a scenario. The model service, the embedded service, and the agent that the scenario
 * starts are started before, and ended after.
 */
export async function withService<Made>(
  resolved: ResolvedScenario,
  { cores = 1, note, stop }: ServiceNeeds,
  perform: (baseUrl: URL, model: OpenModel | undefined) => Promise<Made>,
): Promise<Made> {
  const { embedded: options, plan, start } = resolved;
  const ends: (() => Promise<void>)[] = [];
  try {
    const model = await openModel(resolved);
    if (model !== undefined) {
      ends.push(() => model.close());
      if (start === undefined) {
        note('model service: configure the agent with');
        for (const line of modelAddressLines(model)) note(`  ${line}`);
      } else note(`model service: ${modelOrigin(model)}; the agent is started with its address`);
    }
    const embedded = options && (await startEmbedded(options, { cores }));
    if (embedded !== undefined) ends.push(() => embedded.close());
    const baseUrl = new URL(embedded?.baseUrl ?? plan.target.baseUrl ?? '');
    if (start !== undefined) {
      const environment = model === undefined ? {} : modelVariables(model);
      const redact = (text: string): string => resolved.secrets.redact(text);
      const agent = await startAgent({ ...start, ...addressIn(baseUrl), environment, redact, stop, onEnd: note });
      ends.push(() => agent.close());
    }
    return await perform(baseUrl, model);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** Throws a usage error if a package that the target needs is not installed. */
async function requirePackages({ plan, auth, script: { protocol } }: ResolvedScenario): Promise<void> {
  const { name, streamPackage } = protocol;
  if (auth.signedWith !== undefined)
    await withPackages({ need: 'Signatures of AWS require other packages', names: [signaturePackage] }, loadSigner);
  if (!plan.target.stream || streamPackage === undefined) return;
  const needed = { need: `Streamed replies of ${name} require other packages`, names: [streamPackage] };
  await withPackages(needed, () => import(streamPackage) as Promise<unknown>);
}

const addressIn = ({ hostname, port, protocol }: URL): { host: string; port: number } => ({
  host: plainName(hostname),
  port: Number(port) || (protocol === 'https:' ? 443 : 80),
});

/**
 * Prepares a target for load from this process and calls a function with it: connects once, obtains the token and compiles
 * the code of a turn. Throws `environment` if the target is unreachable; nothing was sent then.
 */
export async function withTarget<Made>(
  resolved: ResolvedScenario,
  { baseUrl, model, warn }: Omit<OpenTarget, 'resolved'> & { warn?: ((warning: Warning) => void) | undefined },
  perform: (target: OpenTarget) => Promise<Made>,
): Promise<Made> {
  const { reached, notes } = await reachTarget(resolved, senderOptions(baseUrl, resolved));
  for (const note of notes) warn?.(note);
  return withAccess(reached, async (opened) => {
    await primeGenerator();
    return perform({ resolved: opened, baseUrl, model });
  });
}

/**
 * Checks that the target is reachable, and returns the scenario with its HTTP version: HTTP/2 if the server supports nothing
 * else. `notes` are warnings to show before the start. Throws the errors of `probeConnection`.
 */
export async function reachTarget(
  resolved: ResolvedScenario,
  options: SenderOptions,
): Promise<{ reached: ResolvedScenario; notes: Warning[] }> {
  await requirePackages(resolved);
  const [probed] = await Promise.all([probeConnection(options), loadTransport(options)]);
  const notes = probedWarnings(probed);
  const { plan } = resolved;
  if (probed.speaks === 'h2' && options.transport === 'websocket') throw environmentError(onlyHttp2, useHttp1);
  if (probed.speaks === 'http/1.1' || plan.target.http2) return { reached: resolved, notes };
  return { reached: { ...resolved, plan: overHttp2(plan) }, notes: [...notes, speaksHttp2] };
}

/** Returns a plan with the HTTP version that the warnings of other processes report. */
export function withReportedHttp<Spoken extends Pick<Plan, 'target'>>(
  plan: Spoken,
  codes: ReadonlySet<string>,
): Spoken {
  return codes.has(speaksHttp2.code) ? overHttp2(plan) : plan;
}

const onlyHttp2 = 'The target supports only HTTP/2, over which chat-load does not open WebSockets.';
const useHttp1 = 'Nothing was sent. Enable HTTP/1.1 on the server, or load it behind its proxy.';

const overHttp2 = <Spoken extends Pick<Plan, 'target'>>(plan: Spoken): Spoken => ({
  ...plan,
  target: { ...plan.target, http2: true },
});

const speaksHttp2: Warning = {
  code: 'http2_alone',
  message: 'The target supports only HTTP/2, which this run uses.',
  remedy: 'Set target.http2 (--http2).',
};

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

/** Checks that a target is reachable before a lengthy operation; sends nothing. Throws the errors of `checkHost` and `probeConnection`, prefixed with `whose`. */
export async function requireReachable(resolved: ResolvedScenario, whose?: string): Promise<void> {
  checkHost(resolved);
  const { baseUrl } = resolved.plan.target;
  // An agent that is started for each run does not listen before.
  if (baseUrl === null || resolved.start !== undefined) return;
  try {
    await probeConnection(senderOptions(new URL(baseUrl), resolved));
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError) || whose === undefined) throw thrown;
    const { code, message, hint } = thrown;
    throw new ChatLoadError(code, { message: `${whose}: ${message}`, hint, cause: thrown });
  }
}

/** Maximum time to obtain a token, in milliseconds. */
const limitMs = 30_000;

/**
 * Obtains an expiring token and renews it until the access is closed; returns scenarios without such a token unchanged.
 * Throws `environment`, with a remedy, if no token is available; nothing was sent to the target then.
 */
async function openAccess(resolved: ResolvedScenario): Promise<ResolvedScenario> {
  const { auth, secrets, plan } = resolved;
  if (auth.tokens === undefined || resolved.access !== undefined) return resolved;
  const redact = (text: string): string => secrets.redact(text);
  const obtain = openTokenSource(auth.tokens, {
    limitMs,
    redact,
    wallNow: () => systemClock.wallNow(),
    postForm: fetchThrough({ tls: tokenTls(resolved, auth.tokens), proxy: resolved.tokenProxy }),
  });
  try {
    const access = await TokenKeeper.open({
      obtain,
      clock: systemClock,
      // Processes that share a token do not renew it at the same instant.
      random: randomOf(plan.seed, tokenKey, process.pid),
      authorize: (credential) => auth.authorize(credential),
      keepSecret: (token) => secrets.pass(token),
      redact,
    });
    return { ...resolved, access };
  } catch (thrown) {
    if (!(thrown instanceof TokenFailure)) throw thrown;
    throw environmentError(
      `No token available: ${redact(messageOf(thrown))}.`,
      `Nothing was sent to the target. ${remedies[auth.tokens.from]}`,
    );
  }
}

/** Returns the TLS options for the token server: the files of the target, but verified whatever `--insecure` allows the target. */
const tokenTls = (resolved: ResolvedScenario, source: TokenSource): TlsOptions => ({
  ...tlsOptionsOf(resolved),
  rejectUnauthorized: !(source.from === 'oauth' && source.insecure),
});

/** Calls a function with the scenario's token, which is renewed until the function ends. */
export async function withAccess<Made>(
  resolved: ResolvedScenario,
  perform: (resolved: ResolvedScenario) => Promise<Made>,
): Promise<Made> {
  const opened = await openAccess(resolved);
  try {
    return await perform(opened);
  } finally {
    // A previously opened access belongs to the caller.
    if (opened !== resolved) opened.access?.close();
  }
}

const tokenKey = keyOf('token');

const remedies: Readonly<Record<TokenSource['from'], string>> = {
  token:
    'Check target.auth.token in the scenario: async () => ({ value, expiresAt }), within 30 s; expiresAt is a date, or milliseconds since 1970.',
  command:
    'Run the command yourself, on the same machine: it must print only the token, or JSON with access_token, within 30 s, without prompting. It is run without a shell.',
  oauth:
    'Check target.auth.oauth and CHAT_LOAD_OAUTH_CLIENT_SECRET. The token request uses the certificates (--ca) and proxy of the target; --insecure applies only to the target (target.auth.oauth.insecure applies to the token server).',
};
