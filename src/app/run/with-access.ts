import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { tlsOptionsOf } from './open-generator.ts';
import { messageOf, environmentError } from '../../base/errors.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { systemClock } from '../../edge/clock.ts';
import { fetchThrough } from '../../edge/http/fetch-through.ts';
import { openTokenSource } from '../../edge/tokens/open-token-source.ts';
import { TokenFailure } from '../../edge/tokens/token.ts';
import { TokenKeeper } from '../../edge/tokens/token-keeper.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';
import type { TokenSource } from '../../plan/resolve-auth.ts';

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
