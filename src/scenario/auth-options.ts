import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { closedObject } from './closed-object.ts';
import { defaulted, noted, option } from './option.ts';
import type { AuthText, TokenFunction } from './scenario-values.ts';

const fieldName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'expected the name of a header field, such as X-Api-Key')
  .refine((name) => !framing.includes(name.toLowerCase()), { error: 'is written by chat-load itself' });
const framing = ['host', 'content-length', 'transfer-encoding', 'connection'];

const text = z.custom<AuthText>((value) => (typeof value === 'string' && value !== '') || typeof value === 'function', {
  error: 'expected a text that is not empty, or a function that gives one',
});

export const authHeaderShape = {
  name: noted(fieldName, { meaning: 'The name of the field, such as `X-Api-Key`.', required: true }),
  value: noted(text, {
    meaning: 'Its value; a template gives every session one of its own.',
    type: 'AuthText',
    required: true,
  }),
};

const userName = text.refine((name) => typeof name !== 'string' || !name.includes(':'), {
  error: 'must not hold a colon: it ends the name in what is sent',
});

export const basicAuthShape = {
  user: noted(userName, { meaning: 'The name of the user, without a colon.', type: 'AuthText', required: true }),
  password: noted(text, { meaning: 'The password.', type: 'AuthText', required: true, secret: true }),
};

const tokenUrl = z
  .url({ protocol: /^https?$/, error: "expected a URL such as 'https://login.example.com/oauth/token'" })
  .refine((url) => !/^http:/i.test(url) || (URL.canParse(url) && isLoopback(new URL(url).hostname)), {
    error: 'must be https: the secret of the client would go over the network in the clear',
  });
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

export const oauthShape = {
  tokenUrl: noted(tokenUrl, {
    meaning: 'Where tokens are obtained (the token endpoint): https, or http on this machine.',
    limits: 'an http or https URL',
    required: true,
  }),
  clientId: noted(z.string().min(1), { meaning: 'The id of the client.', required: true }),
  clientSecret: option(z.string().min(1), {
    meaning: 'Its secret; better set in the environment than in the file.',
    environment: 'CHAT_LOAD_OAUTH_CLIENT_SECRET',
    secret: true,
  }),
  scope: option(z.string().min(1), { meaning: 'What the token is asked for, separated by spaces.' }),
  audience: option(z.string().min(1), { meaning: 'For whom it is asked, where the server wants to know.' }),
  clientAuthentication: option(z.enum(['basic', 'post']), {
    meaning: 'How the client says who it is: in the `Authorization` header, or in the body.',
    without: "`'basic'`",
  }),
  insecure: defaulted(z.boolean({ error: 'expected true or false' }), {
    meaning:
      'Does not verify the certificate of the token URL: anyone on the way can read the client secret. `--insecure` is for the target alone.',
    default: false,
  }),
};

export const authShape = {
  bearer: option(text, {
    meaning:
      'A token for `Authorization: Bearer`; a template such as `{{pick users.token}}` gives every session its own.',
    type: 'AuthText',
    secret: true,
  }),
  header: option(closedObject(authHeaderShape), {
    meaning: 'Another header field that authorizes.',
    type: 'AuthHeaderOptions',
    secret: true,
  }),
  basic: option(closedObject(basicAuthShape), {
    meaning: 'A user and a password, as `Authorization: Basic`.',
    type: 'BasicAuthOptions',
    secret: true,
  }),
  token: option(
    z.custom<TokenFunction>((value) => typeof value === 'function', { error: 'expected a function' }),
    {
      meaning:
        'Gives a token for `Authorization: Bearer`, and when it ends: `async () => ({ value, expiresAt })`. Called before the start, and again before each end.',
      type: 'TokenFunction',
      content: true,
    },
  ),
  command: option(z.string().min(1), {
    meaning:
      'A command that prints such a token, such as `gcloud auth print-access-token`; run without a shell, before the start and before each end.',
    flag: 'token-command',
    flagMeaning:
      'A command that prints a token for Authorization: Bearer, such as `gcloud auth print-access-token`; run without a shell, before the start and before each end.',
    ifEmpty: 'leave the option out for none',
    secret: true,
  }),
  oauth: noted(closedObject(oauthShape).optional(), {
    meaning: 'Such a token by OAuth 2.0 client credentials.',
    type: 'OAuthOptions',
    isSection: true,
  }),
};

const options = closedObject(authShape);
/** As read: `'none'`, or one of the ways. */
export type ReadAuth = 'none' | z.output<typeof options>;

const names = Object.keys(authShape);

/** The schema of `target.auth`: one way alone. */
export const authOptions = z
  .custom<'none' | z.input<typeof options>>(() => true)
  .transform((value: unknown, context): ReadAuth => {
    if (value === 'none') return value;
    if (!isObject(value)) return refuse(context, value, `expected 'none' or one of ${names.join(', ')}`);
    const read = options.safeParse(value, { reportInput: true });
    if (!read.success) {
      for (const issue of read.error.issues) context.issues.push({ input: value, ...issue } as never);
      return z.NEVER;
    }
    if (read.data.oauth !== undefined && read.data.oauth.clientSecret === undefined)
      return refuse(context, undefined, 'oauth needs a client secret: set CHAT_LOAD_OAUTH_CLIENT_SECRET');
    const given = names.filter((name) => value[name] !== undefined);
    if (given.length === 1) return read.data;
    const wrong = given.length === 0 ? 'is empty' : `has ${given.join(' and ')}`;
    return refuse(context, undefined, `${wrong}: give one of ${names.join(', ')}, or 'none'`);
  });

function refuse(context: z.RefinementCtx, input: unknown, message: string): never {
  context.addIssue({ code: 'custom', message, ...(typeof input === 'string' && { input }) });
  return z.NEVER;
}
