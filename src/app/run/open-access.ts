import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { systemClock } from '../../edge/clock.ts';
import { fetchThrough } from '../../edge/http/fetch-through.ts';
import { openTokenSource } from '../../edge/tokens/open-token-source.ts';
import { TokenFailure } from '../../edge/tokens/token.ts';
import { TokenKeeper } from '../../edge/tokens/token-keeper.ts';
import type { Settled } from '../../plan/settle.ts';
import type { TlsOptions } from '../../edge/http/connect/secure-options.ts';
import { tlsOptionsOf } from './open-generator.ts';
import type { TokenSource } from '../../plan/settle-auth.ts';

/** The longest that a token may take. */
const limitMs = 30_000;

/**
 * Obtains the token of a scenario that has one that ends, and keeps it renewed until its access is closed; other scenarios
 * stay as they are. Throws `environment` where there is none, with what to do about it; nothing was sent to the target then.
 */
async function openAccess(settled: Settled): Promise<Settled> {
  const { auth, secrets, plan } = settled;
  if (auth.tokens === undefined || settled.access !== undefined) return settled;
  const redact = (text: string): string => secrets.redact(text);
  const obtain = openTokenSource(auth.tokens, {
    limitMs,
    redact,
    wallNow: () => systemClock.wallNow(),
    postForm: fetchThrough({ tls: tokenTls(settled, auth.tokens), proxy: settled.tokenProxy }),
  });
  try {
    const access = await TokenKeeper.open({
      obtain,
      clock: systemClock,
      // Processes that began with one token do not renew it at the same instant.
      random: randomOf(plan.seed, tokenKey, process.pid),
      authorize: (credential) => auth.authorize(credential),
      keepSecret: (token) => secrets.pass(token),
      redact,
    });
    return { ...settled, access };
  } catch (thrown) {
    if (!(thrown instanceof TokenFailure)) throw thrown;
    throw new ChatLoadError('environment', {
      message: `There is no token to begin with: ${redact(messageOf(thrown))}.`,
      hint: `Nothing was sent to the target. ${remedies[auth.tokens.from]}`,
    });
  }
}

/** TLS with the token server: the files of the target, but verified whatever `--insecure` allows the target. */
const tokenTls = (settled: Settled, source: TokenSource): TlsOptions => ({
  ...tlsOptionsOf(settled),
  rejectUnauthorized: !(source.from === 'oauth' && source.insecure),
});

/** Performs something with the token of a scenario, which is renewed until that has ended. */
export async function withAccess<Made>(settled: Settled, perform: (settled: Settled) => Promise<Made>): Promise<Made> {
  const opened = await openAccess(settled);
  try {
    return await perform(opened);
  } finally {
    // One that was open before is somebody else's.
    if (opened !== settled) opened.access?.close();
  }
}

const tokenKey = keyOf('token');

const remedies: Readonly<Record<TokenSource['from'], string>> = {
  token:
    'Look at target.auth.token in the scenario: async () => ({ value, expiresAt }), within 30 s; expiresAt is a date, or milliseconds since 1970.',
  command:
    'Run the command yourself, where chat-load runs: it must print the token alone, or JSON with access_token, within 30 s, and ask for nothing. It is run without a shell.',
  oauth:
    'Look at target.auth.oauth and CHAT_LOAD_OAUTH_CLIENT_SECRET. Certificates (--ca) and proxies are those of requests to the target; --insecure is for the target alone (target.auth.oauth.insecure is for the token server).',
};
