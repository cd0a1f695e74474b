import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { closedObject, readWith, truth } from './closed-object.ts';
import { defaulted, noted, option } from './option.ts';
import type { AuthText, TokenFunction } from './scenario-values.ts';

const fieldName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'expected the name of a header field, such as X-Api-Key')
  .refine((name) => !framing.includes(name.toLowerCase()), { error: 'is reserved: chat-load writes it itself' });
const framing = ['host', 'content-length', 'transfer-encoding', 'connection'];

const text = z.custom<AuthText>((value) => (typeof value === 'string' && value !== '') || typeof value === 'function', {
  error: 'expected non-empty text, or a function that returns it',
});

export const authHeaderShape = {
  name: noted(fieldName, { meaning: 'Name of the header, such as `X-Api-Key`.', required: true }),
  value: noted(text, {
    meaning: 'Its value; a template can set a different value for every session.',
    type: 'AuthText',
    required: true,
  }),
};

const userName = text.refine((name) => typeof name !== 'string' || !name.includes(':'), {
  error: 'must not contain a colon: in Basic credentials, a colon ends the user name',
});

export const basicAuthShape = {
  user: noted(userName, { meaning: 'User name, without a colon.', type: 'AuthText', required: true }),
  password: noted(text, { meaning: 'Password.', type: 'AuthText', required: true, secret: true }),
};

const tokenUrl = z
  .url({ protocol: /^https?$/, error: "expected a URL such as 'https://login.example.com/oauth/token'" })
  .refine((url) => !/^http:/i.test(url) || (URL.canParse(url) && isLoopback(new URL(url).hostname)), {
    error: 'must be https: over http, the client secret would cross the network unencrypted',
  });
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

export const oauthShape = {
  tokenUrl: noted(tokenUrl, {
    meaning: 'URL of the token endpoint: https, or http on this machine.',
    limits: 'an http or https URL',
    required: true,
  }),
  clientId: noted(z.string().min(1), { meaning: 'Client ID.', required: true }),
  clientSecret: option(z.string().min(1), {
    meaning: 'Client secret; better set in the environment than in the file.',
    environment: 'CHAT_LOAD_OAUTH_CLIENT_SECRET',
    secret: true,
  }),
  scope: option(z.string().min(1), { meaning: 'Requested scopes, separated by spaces.' }),
  audience: option(z.string().min(1), { meaning: 'Requested audience, if the authorization server needs one.' }),
  clientAuthentication: option(z.enum(['basic', 'post']), {
    meaning: 'Client authentication: in the `Authorization` header (`basic`) or in the body (`post`).',
    without: "`'basic'`",
  }),
  insecure: defaulted(truth, {
    meaning:
      'Skips certificate verification for the token URL: an attacker on the network could read the client secret. `--insecure` only affects the target.',
    default: false,
  }),
};

/** Text that a variable usually sets. */
const fromVariable = (name: string): z.ZodString =>
  z.string({ error: ({ input }) => (input === undefined ? `is required: set ${name}` : undefined) }).min(1);

export const sigv4Shape = {
  region: noted(fromVariable('AWS_REGION'), {
    meaning: 'Region of the service, such as `us-east-1`.',
    environment: 'AWS_REGION',
    required: true,
  }),
  service: defaulted(z.string().min(1), { meaning: 'Name of the service in signatures.', default: 'bedrock' }),
  accessKeyId: noted(fromVariable('AWS_ACCESS_KEY_ID'), {
    meaning: 'ID of the access key.',
    environment: 'AWS_ACCESS_KEY_ID',
    required: true,
  }),
  secretAccessKey: noted(fromVariable('AWS_SECRET_ACCESS_KEY'), {
    meaning: 'Secret access key; better set in the environment than in the file.',
    environment: 'AWS_SECRET_ACCESS_KEY',
    required: true,
    secret: true,
  }),
  sessionToken: option(z.string().min(1), {
    meaning: 'Session token of temporary credentials.',
    environment: 'AWS_SESSION_TOKEN',
    secret: true,
  }),
};

const sigv4 = closedObject(sigv4Shape);
/** The environment provides the fields that an author omits. */
const partialSigv4 = sigv4 as unknown as z.ZodType<z.output<typeof sigv4>, Partial<z.input<typeof sigv4>>>;

export const authShape = {
  bearer: option(text, {
    meaning:
      'Token for `Authorization: Bearer`; a template such as `{{pick users.token}}` sets a different token for every session.',
    type: 'AuthText',
    secret: true,
  }),
  header: option(closedObject(authHeaderShape), {
    meaning: 'Another header that authorizes requests.',
    type: 'AuthHeaderOptions',
    secret: true,
  }),
  basic: option(closedObject(basicAuthShape), {
    meaning: 'User and password for `Authorization: Basic`.',
    type: 'BasicAuthOptions',
    secret: true,
  }),
  token: option(
    z.custom<TokenFunction>((value) => typeof value === 'function', { error: 'expected a function' }),
    {
      meaning:
        'Function that returns a token for `Authorization: Bearer` and its expiry: `async () => ({ value, expiresAt })`. Called before the start and before each expiry.',
      type: 'TokenFunction',
      content: true,
    },
  ),
  command: option(z.string().min(1), {
    meaning:
      'Command that prints a bearer token, such as `gcloud auth print-access-token`; run without a shell, before the start and before each token expires.',
    flag: 'token-command',
    flagMeaning:
      'Command that prints a token for Authorization: Bearer, such as `gcloud auth print-access-token`; run without a shell, before the start and before each token expires',
    ifEmpty: 'omit the option for none',
    secret: true,
  }),
  oauth: noted(closedObject(oauthShape).optional(), {
    meaning: 'OAuth 2.0 client credentials that obtain a bearer token.',
    type: 'OAuthOptions',
    isSection: true,
  }),
  sigv4: noted(partialSigv4.optional(), {
    meaning:
      'Signs requests with AWS Signature Version 4; `{}` takes region and keys from the usual variables (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, ...).',
    type: 'SigV4Options',
    isSection: true,
  }),
};

const options = closedObject(authShape);
/** Resolved authorization: `'none'`, or one method. */
export type ReadAuth = 'none' | z.output<typeof options>;

const names = Object.keys(authShape);

/** The schema of `target.auth`: exactly one method. */
export const authOptions = z
  .custom<'none' | z.input<typeof options>>(() => true)
  .transform((value: unknown, context): ReadAuth => {
    if (value === 'none') return value;
    if (!isObject(value)) return refuse(context, value, `expected 'none' or one of ${names.join(', ')}`);
    const read = readWith(options, value, context);
    if (context.issues.length > 0) return read;
    if (read.oauth !== undefined && read.oauth.clientSecret === undefined)
      return refuse(context, undefined, 'oauth needs a client secret: set CHAT_LOAD_OAUTH_CLIENT_SECRET');
    const given = names.filter((name) => value[name] !== undefined);
    if (given.length === 1) return read;
    const wrong = given.length === 0 ? 'is empty' : `has ${given.join(' and ')}`;
    return refuse(context, undefined, `${wrong}: set one of ${names.join(', ')}, or 'none'`);
  });

function refuse(context: z.RefinementCtx, input: unknown, message: string): never {
  context.addIssue({ code: 'custom', message, ...(typeof input === 'string' && { input }) });
  return z.NEVER;
}
