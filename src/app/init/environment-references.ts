import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { isCredential } from '../../base/header-field.ts';
import { isObject } from '../../base/is-object.ts';
import { reservedHeaders } from '../../plan/header-script.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';
import { variablePattern, type GivenApi } from './given-api.ts';
import { Code, literal, textLiteral } from './literal.ts';

/** Variable of the API key. */
export const keyVariable = 'CHAT_LOAD_API_KEY';

/** Requests without secrets, and the authorization of a scenario. */
export interface Moved {
  /** Fields of `target`. */
  readonly target: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly creationBody: Readonly<Record<string, unknown>>;
  /** Query of the URL, in the form of a template literal; '' for none. */
  readonly query: string;
  /** True if the API key is in the URL or in a body, so that no header carries it. */
  readonly isKeyInside: boolean;
  /** Values of the variables that the scenario reads; `undefined`: only the environment has it. */
  readonly variables: ReadonlyMap<string, string | undefined>;
}

/**
 * Moves whatever looks like a secret from requests to variables of the environment. `authorize` returns the headers in which
 * the protocol sends the key. Throws a usage error for secrets that results could contain.
 */
export function moveSecrets(api: GivenApi, authorize: (apiKey: string) => HeaderFields, isKnown: boolean): Moved {
  const { message, creation } = api;
  const references = new References();
  let inside: string | undefined;
  // Only the API key is kept out of results wherever a service repeats it.
  const moveInside = (value: string): Code => {
    if (inside !== undefined && inside !== value) throw tooManySecrets();
    inside = value;
    return references.of(keyVariable, value);
  };
  const query = [...message.url.searchParams].flatMap(([name, value]) => {
    const isSecret = isCredential(name) || secretParameter.test(name) || isSecretText(value) || isRandom(value);
    const code = isSecret ? moveInside(value) : references.inText(value);
    // A known protocol sends the key in its header.
    if (isSecret && isKnown) return [];
    const written = code instanceof Code ? `\${encodeURIComponent(${code.text})}` : encodeURIComponent(code);
    return [`${encodeURIComponent(name)}=${written}`];
  });
  if (pathParts(message.url).some((part) => isSecretText(part) || isRandom(part) || isTokenPart(part)))
    throw usageError(
      'The path of the URL contains a secret.',
      'Nothing was written. Use a key in a header or the query.',
    );
  const [body = {}, creationBody = {}] = [message.body, creation?.body].map((json) =>
    objectWithoutSecrets(json ?? {}, moveInside),
  );
  const target = inside === undefined ? {} : references.keyField(inside);
  const authorization = moveHeaders(message, { references, authorize, hasKey: inside !== undefined });
  return {
    target: { ...target, ...authorization },
    body,
    creationBody,
    query: query.length === 0 ? '' : `?${query.join('&')}`,
    isKeyInside: inside !== undefined && !isKnown,
    variables: references.variables,
  };
}

const tooManySecrets = (): ChatLoadError =>
  usageError(
    'The request contains secrets in more places than results can be kept free of: one in the URL or the body, and headers whose names suggest a credential.',
    'Nothing was written. Remove the secrets that the request works without.',
  );

interface HeaderMoving {
  references: References;
  authorize: (apiKey: string) => HeaderFields;
  hasKey: boolean;
}

function moveHeaders({ headers, basic }: GivenApi['message'], { references, authorize, hasKey }: HeaderMoving) {
  const fields: Record<string, unknown> = {};
  let auth: object | undefined = basic && {
    basic: {
      user: references.of('CHAT_LOAD_USER', basic[0]),
      password: references.of('CHAT_LOAD_PASSWORD', basic[1]),
    },
  };
  let isAuthorized = hasKey || auth !== undefined;
  const [ownName = '', start = ''] = Object.entries(authorize(mark))[0]?.map((text) => text.replace(mark, '')) ?? [];
  // Authorization before other credentials.
  const sorted = headers.toSorted(([one], [other]) => Number(authorizes(other)) - Number(authorizes(one)));
  for (const [name, value] of sorted.filter(([each]) => !isWrittenByUs(each))) {
    const variable = name.toUpperCase().replaceAll(/\W/g, '_');
    const isSecret = isCredential(name) || isSecretText(value) || isRandom(value);
    const [, token] = /^Bearer\s+(.+)$/i.exec(value) ?? [];
    if (!isSecret) fields[name] = references.inText(value);
    else if (isAuthorized && !isCredential(name)) throw tooManySecrets();
    else if (isAuthorized || /^cookie$/i.test(name)) fields[name] = references.of(variable, value);
    else {
      isAuthorized = true;
      if (name.toLowerCase() === ownName.toLowerCase() && value.startsWith(start)) {
        const key = value.slice(start.length);
        references.of(keyVariable, key);
        Object.assign(fields, { [mark]: references.keyField(key) });
      } else if (/^authorization$/i.test(name) && token !== undefined)
        auth = { bearer: references.of('AGENT_TOKEN', token) };
      else auth = { header: { name, value: references.of(variable, value) } };
    }
  }
  const { [mark]: key, ...rest } = fields;
  return {
    ...(isObject(key) && key),
    ...(isAuthorized ? auth && { auth } : { auth: 'none' }),
    ...(Object.keys(rest).length > 0 && { headers: rest }),
  };
}

/** Stands for a key. */
const mark = '\0';

/** References to variables of the environment. */
class References {
  readonly variables = new Map<string, string | undefined>();

  /** Returns a reference in place of a secret: to its own variable if it is one, such as `$OPENAI_API_KEY`. */
  of(name: string, value: string): Code {
    const own = soleVariable(value);
    const isLiteral = value.search(variablePattern) === -1;
    this.variables.set(own ?? name, isLiteral ? value : undefined);
    return referenceTo(own ?? name);
  }

  /** Replaces the variables in a text that is not secret. */
  inText(value: string): string | Code {
    const own = soleVariable(value);
    if (own !== undefined) return this.of(own, value);
    if (value.search(variablePattern) === -1) return value.replaceAll('{{', String.raw`\{{`);
    const text = value.replaceAll(/[`\\]/g, String.raw`\$&`);
    const written = text.replaceAll(
      variablePattern,
      (found, braced?: string, bare?: string) => `\${${this.of(braced ?? bare ?? '', found).text}}`,
    );
    return new Code(`\`${written}\``);
  }

  /** Returns the field of `target` with the API key; nothing for the variable that is read without it. */
  keyField(value: string): { apiKey?: Code } {
    const own = soleVariable(value);
    return own === undefined || own === keyVariable ? {} : { apiKey: referenceTo(own) };
  }
}

const referenceTo = (name: string): Code => new Code(`process.env[${textLiteral(name)}] ?? ''`);

function soleVariable(value: string): string | undefined {
  const [found] = value.match(variablePattern) ?? [];
  return found === value ? found.replaceAll(/[${}]/g, '') : undefined;
}

function withoutSecrets(json: unknown, move: (value: string) => Code, name = ''): unknown {
  if (Array.isArray(json)) return json.map((item) => withoutSecrets(item, move, name));
  if (isObject(json)) return objectWithoutSecrets(json, move);
  const isSecret = typeof json === 'string' && json !== '' && (secretField.test(name) || isSecretText(json));
  return isSecret ? move(json) : json;
}

const objectWithoutSecrets = (json: object, move: (value: string) => Code): Record<string, unknown> =>
  Object.fromEntries(Object.entries(json).map(([key, value]) => [key, withoutSecrets(value, move, key)]));

/** Names of fields in bodies, where `max_tokens` and `keywords` are not secret. */
const secretField =
  /(?:api|access|secret|private|auth|bearer)[_-]?key$|passw(?:or)?d|passphrase|secret$|token$|^authorization$|credential|jwt|cookie|csrf|xsrf|^(?:pass|pwd|pin|otp|sig|signature|bearer|access)$|[_-](?:pass|pwd|pin|otp)$/i;

/** Further names in queries, whose values are codes there. */
const secretParameter = /^(?:code|hash|licen[cs]e|session|access)$/i;

/** Reports whether a text has the form of a known kind of key or token. */
const isSecretText = (text: string): boolean =>
  /^(?:(?:Bearer|Basic) |sk-|rk_|[sp]k_(?:live|test)_|gh[pousr]_|github_pat_|xox[a-z]-|AIza|AKIA|ya29\.|glpat-|hf_\w{20}|eyJ[\w-]+\.)/.test(
    text,
  );

/** Reports whether a text looks generated: long, without spaces, with letters of both cases and digits. */
const isRandom = (text: string): boolean =>
  /^[\w+/=.~-]{20,}$/.test(text) &&
  [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text)) &&
  !/^[\w-]+[/ ]\d/.test(text);

/** Returns the parts of a path, with the braces of its parameters. */
const pathParts = ({ pathname }: URL): string[] =>
  pathname.replaceAll(/%7B/gi, '{').replaceAll(/%7D/gi, '}').split('/');

/** Reports whether a part of a path is a token: a bot's number with its token, or many hexadecimal digits. */
const isTokenPart = (text: string): boolean => /^(?:bot)?\d{6,}(?::|%3A)[\w-]{20,}$|^[0-9a-f]{40,}$/i.test(text);

const authorizes = (name: string): boolean => /^(?:authorization|(?:x-)?(?:goog-)?api-key)$/i.test(name);

/** Reports whether a header is written by the protocol, by the connection, or by browsers on their own. */
const isWrittenByUs = (name: string): boolean =>
  Object.hasOwn(reservedHeaders, name.toLowerCase()) ||
  /^(?::.*|accept|referer|priority|dnt|sec-.*|if-.*)$/i.test(name);

/** Returns the lines of fields of `target`. */
export function targetLines(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}: ${literal(value, '    ')},`);
}
