import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { isCredential, nameFault, valueFault } from '../../base/header-field.ts';
import { reservedHeaders } from '../../plan/header-script.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';
import { findMessage, findSentSession, findUsers, leavesOf, withValue, type JsonPath } from './find-places.ts';
import { variablePattern, type GivenApi, type GivenRequest } from './given-api.ts';
import { Code, literal, textLiteral } from './literal.ts';
import { isMarked, isPlaceholder } from './placeholders.ts';
import { isRandom, isSecretAt, isSecretParameter, isSecretText, isTokenPart } from './secret-texts.ts';

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
  /** Query of the request that creates the session, in that form. */
  readonly creationQuery: string;
  /** Names of headers that identify one request. */
  readonly omitted: readonly string[];
  /** True if the API key is in the URL or in a body, so that no header carries it. */
  readonly isKeyInside: boolean;
  /** Variables in place of placeholders. */
  readonly missing: ReadonlySet<string>;
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
    // A key is also a possible header, so that it cannot have every character.
    if (!isPlaceholder(value) && (valueFault(value) !== undefined || /\s/.test(value)))
      throw usageError(
        'A secret of the body or the query is among other words.',
        'Nothing was written. Remove it, or pass it as a header.',
      );
    inside = value;
    return references.of(keyVariable, value);
  };
  const parametersOf = (url: URL): string[] =>
    [...url.searchParams].flatMap(([name, value]) => {
      const isSecret = isSecretParameter(name, value);
      const code = isSecret ? moveInside(value) : references.inText(value);
      // A known protocol sends the key in its header.
      if (isSecret && isKnown) return [];
      const written = code instanceof Code ? `\${encodeURIComponent(${code.text})}` : encodeURIComponent(code);
      return [`${encodeURIComponent(name)}=${written}`];
    });
  const query = parametersOf(message.url);
  const creationQuery = creation === undefined ? [] : parametersOf(creation.url);
  if (message.url.pathname.split('/').some((part) => isSecretText(part) || isRandom(part) || isTokenPart(part)))
    throw usageError(
      'The path of the URL contains a secret.',
      'Nothing was written. Use a key in a header or the query.',
    );
  const withoutSecrets = (json: GivenRequest['body']): GivenRequest['body'] =>
    leavesOf(json)
      .filter(({ path, value }) => isSecretAt(path, value))
      .reduce((so, { path, value }) => withValue(so, path, moveInside(String(value))) as GivenRequest['body'], json);
  const withoutGaps = (json: GivenRequest['body']): GivenRequest['body'] =>
    gapsOf(json).reduce((so, { path, value }) => {
      const name = path.findLast((key) => typeof key === 'string') ?? 'VALUE';
      return withValue(so, path, references.of(variableOf(name), String(value))) as GivenRequest['body'];
    }, json);
  const [body, creationBody] = [message.body, creation?.body ?? {}].map((json) => withoutGaps(withoutSecrets(json)));
  const key = inside === undefined ? {} : references.keyField(inside);
  const target = moveHeaders(message, { references, authorize, hasKey: inside !== undefined });
  return {
    target: { ...key, ...target },
    body: body ?? {},
    creationBody: creationBody ?? {},
    query: query.length === 0 ? '' : `?${query.join('&')}`,
    creationQuery: creationQuery.length === 0 ? '' : `?${creationQuery.join('&')}`,
    omitted: message.headers.map(([name]) => name).filter((name) => identifiesRequest.test(name)),
    isKeyInside: inside !== undefined && !isKnown,
    missing: references.missing,
    variables: references.variables,
  };
}

/** Returns the placeholders of a body besides its message, its session and its model. */
function gapsOf(json: GivenRequest['body']): { path: JsonPath; value: unknown }[] {
  const others = [findMessage(json), findSentSession(json), ...findUsers(json)].map((path) => path?.join('.'));
  return leavesOf(json).filter(
    ({ path, value }) =>
      typeof value === 'string' &&
      isMarked(value) &&
      !value.startsWith('{{') &&
      !others.includes(path.join('.')) &&
      !/^(?:model|role)$/.test(String(path.at(-1))),
  );
}

/** Returns the name of a variable for a header or a field. */
const variableOf = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toUpperCase()
    .replaceAll(/\W/g, '_');

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

function moveHeaders({ headers, basic }: GivenRequest, { references, authorize, hasKey }: HeaderMoving) {
  const kept = headers.filter(([name]) => !isWrittenByUs(name) && !identifiesRequest.test(name));
  checkHeaders(kept);
  const fields: Record<string, unknown> = {};
  let key: object = {};
  let auth: object | undefined = basic && {
    basic: {
      user: fixedUser.test(basic[0]) ? basic[0] : references.of('CHAT_LOAD_USER', basic[0]),
      password: references.of('CHAT_LOAD_PASSWORD', basic[1]),
    },
  };
  let isAuthorized = hasKey || auth !== undefined;
  const [ownName = '', start = ''] = Object.entries(authorize(mark))[0]?.map((text) => text.replace(mark, '')) ?? [];
  // Authorization before other credentials.
  for (const [name, value] of kept.toSorted(([one], [other]) => Number(authorizes(other)) - Number(authorizes(one)))) {
    const variable = variableOf(name);
    const isSecret = isCredential(name) || isSecretText(value) || isRandom(value);
    const [, token] = /^Bearer\s+(.+)$/i.exec(value) ?? [];
    if (!isSecret)
      fields[name] =
        isMarked(value) && !value.startsWith('{{') ? references.of(variable, value) : references.inText(value);
    else if (isAuthorized && !isCredential(name)) throw tooManySecrets();
    else if (isAuthorized || /^cookie$/i.test(name)) fields[name] = references.of(variable, value);
    else {
      isAuthorized = true;
      if (name.toLowerCase() === ownName.toLowerCase() && value.startsWith(start)) {
        references.of(keyVariable, value.slice(start.length));
        key = references.keyField(value.slice(start.length));
      } else if (/^authorization$/i.test(name) && token !== undefined)
        auth = { bearer: references.of('AGENT_TOKEN', token) };
      else auth = { header: { name, value: references.of(variable, value) } };
    }
  }
  return {
    ...key,
    ...(isAuthorized ? auth && { auth } : { auth: 'none' }),
    ...(Object.keys(fields).length > 0 && { headers: fields }),
  };
}

/** Users that are the same for everybody: the password is the key. */
const fixedUser = /^(?:api_?key|api|token|key)$/i;

/** Stands for a key. */
const mark = '\0';

/** Throws a usage error for headers that a scenario could not load. */
function checkHeaders(headers: GivenRequest['headers']): void {
  const seen = new Set<string>();
  for (const [name, value] of headers) {
    const [ofName, ofValue] = [nameFault(name), valueFault(value)];
    const problem =
      (ofName && `'${name}' ${ofName}`) ??
      (ofValue && `${name} contains ${ofValue}`) ??
      (seen.has(name.toLowerCase()) ? `${name} is named twice` : undefined);
    seen.add(name.toLowerCase());
    if (problem !== undefined)
      throw usageError(`The header ${problem}.`, 'Nothing was written. Correct the header, or remove it.');
  }
}

/** References to variables of the environment. */
class References {
  readonly variables = new Map<string, string | undefined>();
  readonly missing = new Set<string>();

  /** Returns a reference in place of a secret: to its own variable if it is one, such as `$OPENAI_API_KEY`. */
  of(name: string, value: string): Code {
    const [, label = '', rest = value] = /^([A-Za-z][\w-]*[ =])(\S.*)$/.exec(value) ?? [];
    if (isPlaceholder(value)) return this.#gap(name);
    if (isPlaceholder(rest)) return new Code(`\`${label}\${${this.#gap(name).text}}\``);
    const own = soleVariable(value);
    const isLiteral = value.search(variablePattern) === -1;
    if (own === undefined && !isLiteral) return this.inLabels(name, value);
    this.variables.set(own ?? name, isLiteral ? value : undefined);
    return referenceTo(own ?? name);
  }

  #gap(name: string): Code {
    this.missing.add(name);
    this.variables.set(name, undefined);
    return referenceTo(name);
  }

  /** Replaces variables among words that are not secret: `Token $KEY`, `sid=$SID; tenant=$TENANT`. */
  inLabels(name: string, value: string): Code {
    const parts = value.replaceAll(variablePattern, mark).split(/[;,]\s*/);
    const text = this.inText(value);
    if (text instanceof Code && parts.every((part) => /^(?:[A-Za-z][\w-]*[ =])?\0$/.test(part))) return text;
    throw usageError(
      'A secret consists of a variable and other text.',
      `Nothing was written. Put the whole value into one variable, such as $${name}.`,
    );
  }

  /** Replaces the variables in a text that is not secret. */
  inText(value: string): string | Code {
    const own = soleVariable(value);
    if (own !== undefined) return this.of(own, value);
    const escaped = value.replaceAll('{{', String.raw`\{{`);
    if (value.search(variablePattern) === -1) return escaped;
    const written = escaped
      .replaceAll(/[`\\]/g, String.raw`\$&`)
      .replaceAll(
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

const authorizes = (name: string): boolean => /^(?:authorization|(?:x-)?(?:goog-)?api-key)$/i.test(name);

/** Reports whether a header is written by the protocol, by the connection, or by browsers and Postman on their own. */
const isWrittenByUs = (name: string): boolean =>
  Object.hasOwn(reservedHeaders, name.toLowerCase()) ||
  /^(?::.*|accept|referer|priority|dnt|pragma|cache-control|upgrade-insecure-requests|postman-token|sec-.*|if-.*)$/i.test(
    name,
  );

/** Headers that services and tracing systems expect to differ in each request. */
const identifiesRequest =
  /^(?:(?:x-)?(?:idempotency-key|request-id|correlation-id)|traceparent|tracestate|baggage|sentry-trace|b3|x-b3-.*|x-amzn-trace-id|x-datadog-.*)$/i;

/** Returns the lines of fields of `target`. */
export function targetLines(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}: ${literal(value, '    ')},`);
}
