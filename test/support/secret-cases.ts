import { createPrivateKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, root } from './command.ts';
import type { Gossip, GossipingService } from './gossiping-service.ts';

/** A kind of secret: its place in a scenario, flags or the environment, and the evidence of its use. */
export interface SecretCase {
  kind: string;
  /** Fields of `target`, as source text. */
  target?: (secret: string, baseUrl: string) => string;
  flags?: (secret: string, baseUrl: string) => string[] | Promise<string[]>;
  environment?: (secret: string) => Record<string, string>;
  /** Differences of the service. */
  service?: (secret: string) => Gossip;
  /** Reports whether a request contained it: a secret that was never sent is not tested. Omitted: it is not sent to the service. */
  came?: (heads: GossipingService['heads'], secret: string) => boolean;
  /** Further texts that reveal the secret. */
  also?: (secret: string) => string[];
}

const inHead =
  (name: string) =>
  (heads: GossipingService['heads'], secret: string): boolean =>
    heads.some((head) => String(head[name]).includes(secret));

const noKey = (): Record<string, string> => ({ CHAT_LOAD_API_KEY: '' });
const login = (secret: string): string => Buffer.from(`me:${secret}`).toString('base64');
const proxyOf = (secret: string, baseUrl: string): string =>
  `http://me:${encodeURIComponent(secret)}@${new URL(baseUrl).host}`;

const certFile = join(root, 'test/fixtures/test-only-localhost.cert.pem');
const key = readFileSync(join(root, 'test/fixtures/test-only-localhost.key.pem'), 'utf8');
const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc' } as const;

/** Writes a file outside the folder of outputs. */
async function fileOf(text: string): Promise<string> {
  const path = join(await makeFolder(), randomUUID());
  await writeFile(path, text);
  return path;
}

/** A row per kind of secret: a new option with a secret needs a row. */
export const secretCases: readonly SecretCase[] = [
  {
    kind: 'the API key of the environment',
    environment: (secret) => ({ CHAT_LOAD_API_KEY: secret }),
    came: inHead('authorization'),
  },
  {
    kind: 'the API key of the file',
    target: (secret) => `apiKey: ${JSON.stringify(secret)}`,
    environment: () => ({ CHAT_LOAD_API_KEY: '' }),
    came: inHead('authorization'),
  },
  {
    kind: 'a credential in a header of the file',
    target: (secret) => `headers: { 'X-Auth-Token': ${JSON.stringify(secret)} }`,
    came: inHead('x-auth-token'),
  },
  {
    kind: 'a credential in a header of the command, behind its scheme',
    flags: (secret) => ['--header', `X-Api-Token: Bearer ${secret}`],
    came: inHead('x-api-token'),
  },
  {
    kind: 'a credential in a header of the environment',
    environment: (secret) => ({ CHAT_LOAD_HEADER: `X-Tenant: acme\nX-Client-Secret: ${secret}` }),
    came: inHead('x-client-secret'),
  },
  {
    kind: 'a credential in a header by session, from a row',
    target: (secret) => `headers: { 'X-Auth-Token': '{{pick users.token}}-${secret}' }`,
    came: inHead('x-auth-token'),
  },
  {
    kind: 'a cookie of the command',
    flags: (secret) => ['--header', `Cookie: theme=dark; sid=${secret}`],
    came: inHead('cookie'),
  },
  {
    kind: 'a cookie that the service sets',
    flags: () => ['--cookies'],
    service: (secret) => ({ setCookie: `sid=${secret}; Path=/; HttpOnly` }),
    came: inHead('cookie'),
  },
  {
    kind: 'a token of the file',
    target: (secret) => `auth: { bearer: ${JSON.stringify(secret)} }`,
    environment: noKey,
    came: inHead('authorization'),
  },
  {
    kind: 'a token by session, from a row',
    target: (secret) => `auth: { bearer: '{{pick users.token}}-${secret}' }`,
    environment: noKey,
    came: inHead('authorization'),
  },
  {
    kind: 'another header that authorizes',
    target: (secret) => `auth: { header: { name: 'X-Pass', value: ${JSON.stringify(secret)} } }`,
    environment: noKey,
    came: inHead('x-pass'),
  },
  {
    kind: 'the password of a user',
    target: (secret) => `auth: { basic: { user: 'me', password: ${JSON.stringify(secret)} } }`,
    environment: noKey,
    came: (heads, secret) => inHead('authorization')(heads, login(secret)),
    also: (secret) => [login(secret)],
  },
  {
    kind: 'the token of a command of the environment',
    environment: (secret) => ({ CHAT_LOAD_TOKEN_COMMAND: `printf %s '${secret}'`, CHAT_LOAD_API_KEY: '' }),
    came: inHead('authorization'),
  },
  {
    kind: 'the token of a command that reads a file',
    flags: async (secret) => ['--token-command', `cat '${await fileOf(secret)}'`],
    environment: noKey,
    came: inHead('authorization'),
  },
  {
    kind: 'a token that is renewed in mid-run',
    target: (secret) =>
      `auth: { token: (() => { let asked = 0; return () => ({ value: (asked++ === 0 ? 'before-' : 'after-') + ${JSON.stringify(secret)} }); })() }`,
    environment: noKey,
    service: () => ({ refuses: ({ authorization = '' }) => authorization.includes('before-') }),
    came: (heads, secret) => inHead('authorization')(heads, `after-${secret}`),
  },
  {
    kind: 'the secret of an OAuth client, and its token',
    target: (_, baseUrl) => `auth: { oauth: { tokenUrl: '${baseUrl}/oauth/token', clientId: 'me' } }`,
    environment: (secret) => ({ CHAT_LOAD_OAUTH_CLIENT_SECRET: secret, CHAT_LOAD_API_KEY: '' }),
    service: (secret) => ({ token: `issued-${secret}` }),
    came: (heads, secret) =>
      inHead('authorization')(heads, `issued-${secret}`) &&
      inHead('authorization')(heads, login(encodeURIComponent(secret).replaceAll('-', '%2D').replaceAll('.', '%2E'))),
    also: (secret) => [login(secret)],
  },
  {
    kind: 'the secret key of AWS',
    target: () => `auth: { sigv4: { region: 'eu-west-1' } }`,
    environment: (secret) => ({
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: `session-${secret}`,
      CHAT_LOAD_API_KEY: '',
    }),
    came: (heads, secret) => inHead('x-amz-security-token')(heads, `session-${secret}`),
  },
  {
    kind: 'the password of a proxy of the command',
    flags: (secret, baseUrl) => ['--proxy', proxyOf(secret, baseUrl)],
    came: (heads, secret) => inHead('proxy-authorization')(heads, login(secret)),
    also: (secret) => [login(secret)],
  },
  {
    kind: 'the password of a proxy of the file',
    target: (secret, baseUrl) => `proxy: ${JSON.stringify(proxyOf(secret, baseUrl))}`,
    came: (heads, secret) => inHead('proxy-authorization')(heads, login(secret)),
    also: (secret) => [login(secret)],
  },
  {
    kind: 'the passphrase of a private key, and the key',
    flags: async (secret) => [
      ...['--ca', certFile, '--cert', certFile],
      ...[
        '--key',
        await fileOf(
          createPrivateKey(key)
            .export({ ...locked, passphrase: secret })
            .toString(),
        ),
      ],
    ],
    environment: (secret) => ({ CHAT_LOAD_TLS_PASSPHRASE: secret }),
    service: () => ({ tls: { cert: readFileSync(certFile), key, requestCert: true, rejectUnauthorized: false } }),
    came: (heads) => heads.some((head) => head['client-certificate'] === 'localhost'),
    also: () => key.split('\n').filter((line) => line !== '' && !line.startsWith('-')),
  },
];
