import type { Secrets } from '../base/secrets.ts';
import type { ChatProtocol, HeaderFields } from '../protocol/protocol.ts';
import type { ReadAuth } from '../scenario/auth-options.ts';
import type { AuthText, TokenFunction } from '../scenario/scenario-values.ts';
import type { Instant } from '../base/time.ts';

/** Ways to authorize requests; `key` sends the API key as the protocol requires. */
export const authKinds = ['key', 'none', 'bearer', 'header', 'basic', 'token', 'command', 'oauth', 'sigv4'] as const;
export type AuthKind = (typeof authKinds)[number];

interface PlannedAuth {
  auth: AuthKind;
  headers: Readonly<Record<string, { hash: string | null }>>;
}

/** Reports whether requests carry no credential, neither by `target.auth` nor by a header field of the scenario. */
export function isAnonymous({ auth, headers }: PlannedAuth): boolean {
  // Only values of credentials have no hash.
  return auth === 'none' && Object.values(headers).every(({ hash }) => hash !== null);
}

/** Source of tokens. */
export type TokenSource =
  | { readonly from: 'token'; readonly call: TokenFunction }
  | { readonly from: 'command'; readonly line: string }
  | ({ readonly from: 'oauth' } & OAuthClient);

/** An OAuth 2.0 client with its own credentials. */
export type OAuthClient = NonNullable<Exclude<ReadAuth, 'none'>['oauth']>;

/** Credentials that sign requests to a service of AWS. */
export type AwsCredentials = NonNullable<Exclude<ReadAuth, 'none'>['sigv4']>;

/** Authorization of a scenario's requests. */
export interface ResolvedAuth {
  readonly kind: AuthKind;
  /** Credential of the requests; '' if there is none, or if it is a token that is obtained before the start. */
  readonly credential: string;
  /** Headers that send a credential. */
  authorize(credential: string): HeaderFields;
  /** True if every session has its own credential, rendered with its requests. */
  readonly isBySession: boolean;
  /** Source of renewed tokens; `undefined`: nothing is renewed. */
  readonly tokens: TokenSource | undefined;
  /** Credentials that sign every request; `undefined`: requests are not signed. */
  readonly signedWith?: AwsCredentials | undefined;
}

/** Resolves `target.auth`; without it the API key is sent in the protocol's own way. */
export function resolveAuth(auth: ReadAuth | undefined, { apiKey, protocol }: Keyed): ResolvedAuth {
  if (auth === undefined) return constant('key', apiKey, (key) => protocol.authorize(key));
  if (auth === 'none') return constant('none', '', () => ({}));
  if (auth.sigv4 !== undefined) return { ...constant('sigv4', '', () => ({})), signedWith: auth.sigv4 };
  return constantAuth(auth) ?? { credential: '', authorize: bearer, isBySession: false, ...renewed(auth) };
}

interface Keyed {
  apiKey: string;
  protocol: Pick<ChatProtocol, 'authorize'>;
}

type Ways = Exclude<ReadAuth, 'none'>;

const bearer = (token: string): HeaderFields => ({ Authorization: `Bearer ${token}` });

const constant = (kind: AuthKind, credential: string, authorize: ResolvedAuth['authorize']): ResolvedAuth => ({
  kind,
  credential,
  authorize,
  isBySession: false,
  tokens: undefined,
});

function constantAuth({ bearer: token, header, basic }: Ways): ResolvedAuth | undefined {
  if (token !== undefined) return constant('bearer', textOf(token), bearer);
  if (header !== undefined) return constant('header', textOf(header.value), (value) => ({ [header.name]: value }));
  if (basic === undefined) return undefined;
  const credential = basicCredential(textOf(basic.user), textOf(basic.password));
  return constant('basic', credential, (value) => ({ Authorization: `Basic ${value}` }));
}

/** Encodes in UTF-8, as in RFC 7617. */
export function basicCredential(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}

const textOf = (text: AuthText): string => (typeof text === 'string' ? text : '');

function renewed({ token, command, oauth }: Ways): Pick<ResolvedAuth, 'kind' | 'tokens'> {
  if (token !== undefined) return { kind: 'token', tokens: { from: 'token', call: token } };
  if (command !== undefined) return { kind: 'command', tokens: { from: 'command', line: command } };
  return { kind: 'oauth', tokens: oauth && { from: 'oauth', ...oauth } };
}

/** Returns a client's secret as given and as sent: form-encoded (RFC 6749, 2.3.1), with the ID in base64. */
function secretsOf({ clientId, clientSecret = '' }: OAuthClient): string[] {
  const sent = formEncoded(clientSecret);
  return [clientSecret, sent, Buffer.from(`${formEncoded(clientId)}:${sent}`).toString('base64')];
}

const formEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/(?:[-_.!~*'()]|%20)/g, (found) =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Registers a scenario's credentials as secrets, which are never written. */
export function keepAuthSecrets(secrets: Secrets, auth: ReadAuth | undefined, { credential }: ResolvedAuth): void {
  secrets.settle(credential);
  if (auth === undefined || auth === 'none') return;
  const { basic, oauth, command, sigv4 } = auth;
  const given = [basic && textOf(basic.password), command, sigv4?.secretAccessKey, sigv4?.sessionToken];
  for (const secret of [...given, ...(oauth === undefined ? [] : secretsOf(oauth))]) secrets.settle(secret ?? '');
}

/** A credential that changes during a run: a token that is renewed, once for all sessions. */
export interface Access {
  /** The current credential. */
  readonly credential: string;
  /** Calls back with every new credential, until the returned function is called. */
  follow(renewed: (fields: HeaderFields) => void): () => void;
  /** Reports whether a 401 to a request sent at this instant may be due to an expired token. Changes nothing. */
  mayHaveEnded(sentAt: Instant): boolean;
  /** Resolves with true if the token differs from the one used at this instant. Many callers may wait: it is obtained once. */
  renewedSince(sentAt: Instant): Promise<boolean>;
  /** Counts an attempt that is retried with the new token. */
  retried(): void;
  readonly counts: { readonly fetched: number; readonly failed: number; readonly retried: number };
  /** Resolves with the reason if requests have waited too long for a new token; otherwise never. */
  readonly lost: Promise<string>;
  /** Stops the renewal. */
  close(): void;
}
