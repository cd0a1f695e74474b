import type { Secrets } from '../base/secrets.ts';
import type { ChatProtocol, HeaderFields } from '../protocol/protocol.ts';
import type { ReadAuth } from '../scenario/auth-options.ts';
import type { AuthText, TokenFunction } from '../scenario/scenario-values.ts';
import type { Instant } from '../base/time.ts';

/** The ways in which requests are authorized; `key`: the API key in the way of the protocol. */
export const authKinds = ['key', 'none', 'bearer', 'header', 'basic', 'token', 'command', 'oauth'] as const;
export type AuthKind = (typeof authKinds)[number];

/** Where tokens come from. */
export type TokenSource =
  | { readonly from: 'token'; readonly call: TokenFunction }
  | { readonly from: 'command'; readonly line: string }
  | ({ readonly from: 'oauth' } & OAuthClient);

/** An OAuth 2.0 client that is authorized by its own credentials. */
export type OAuthClient = NonNullable<Exclude<ReadAuth, 'none'>['oauth']>;

/** How the requests of a scenario are authorized. */
export interface SettledAuth {
  readonly kind: AuthKind;
  /** What is sent with them; '' for nothing, or where it is obtained before the start. */
  readonly credential: string;
  /** The header fields that send a credential. */
  authorize(credential: string): HeaderFields;
  /** Every session has a credential of its own, which comes with its requests. */
  readonly isBySession: boolean;
  /** `undefined`: nothing is renewed. */
  readonly tokens: TokenSource | undefined;
}

/** Settles `target.auth`; without it the API key is sent in the way of the protocol. */
export function settleAuth(auth: ReadAuth | undefined, { apiKey, protocol }: Keyed): SettledAuth {
  if (auth === undefined) return constant('key', apiKey, (key) => protocol.authorize(key));
  if (auth === 'none') return constant('none', '', () => ({}));
  return constantAuth(auth) ?? { credential: '', authorize: bearer, isBySession: false, ...renewed(auth) };
}

interface Keyed {
  apiKey: string;
  protocol: Pick<ChatProtocol, 'authorize'>;
}

type Ways = Exclude<ReadAuth, 'none'>;

const bearer = (token: string): HeaderFields => ({ Authorization: `Bearer ${token}` });

const constant = (kind: AuthKind, credential: string, authorize: SettledAuth['authorize']): SettledAuth => ({
  kind,
  credential,
  authorize,
  isBySession: false,
  tokens: undefined,
});

function constantAuth({ bearer: token, header, basic }: Ways): SettledAuth | undefined {
  if (token !== undefined) return constant('bearer', textOf(token), bearer);
  if (header !== undefined) return constant('header', textOf(header.value), (value) => ({ [header.name]: value }));
  if (basic === undefined) return undefined;
  const credential = basicCredential(textOf(basic.user), textOf(basic.password));
  return constant('basic', credential, (value) => ({ Authorization: `Basic ${value}` }));
}

/** As RFC 7617 has it, in UTF-8. */
export function basicCredential(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}

const textOf = (text: AuthText): string => (typeof text === 'string' ? text : '');

function renewed({ token, command, oauth }: Ways): Pick<SettledAuth, 'kind' | 'tokens'> {
  if (token !== undefined) return { kind: 'token', tokens: { from: 'token', call: token } };
  if (command !== undefined) return { kind: 'command', tokens: { from: 'command', line: command } };
  return { kind: 'oauth', tokens: oauth && { from: 'oauth', ...oauth } };
}

/** The secret of a client as it is, and as it is sent: form-encoded (RFC 6749, 2.3.1), with the id in base64. */
function secretsOf({ clientId, clientSecret = '' }: OAuthClient): string[] {
  const sent = formEncoded(clientSecret);
  return [clientSecret, sent, Buffer.from(`${formEncoded(clientId)}:${sent}`).toString('base64')];
}

const formEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/(?:[-_.!~*'()]|%20)/g, (found) =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Keeps what a scenario says of itself out of everything that is written. */
export function keepAuthSecrets(secrets: Secrets, auth: ReadAuth | undefined, { credential }: SettledAuth): void {
  secrets.settle(credential);
  if (auth === undefined || auth === 'none') return;
  const { basic, oauth, command } = auth;
  for (const secret of [basic && textOf(basic.password), command, ...(oauth === undefined ? [] : secretsOf(oauth))])
    secrets.settle(secret ?? '');
}

/** What authorizes requests where it changes while a run goes on: a token that is renewed, once for all sessions. */
export interface Access {
  /** What a request is sent with now. */
  readonly credential: string;
  /** Calls back with every new one, until the returned function is called. */
  follow(renewed: (fields: HeaderFields) => void): () => void;
  /** Whether a 401 to a request that was sent then may be that of a token that had ended. Changes nothing. */
  mayHaveEnded(sentAt: Instant): boolean;
  /** Resolves with whether there is another token than the one that was sent then. Many may wait: it is obtained once. */
  renewedSince(sentAt: Instant): Promise<boolean>;
  /** An attempt is made again with the new one. */
  retried(): void;
  readonly counts: { readonly fetched: number; readonly failed: number; readonly retried: number };
  /** Resolves with the reason when requests have waited too long for a new token; else never. */
  readonly lost: Promise<string>;
  /** Nothing is obtained any more. */
  close(): void;
}
