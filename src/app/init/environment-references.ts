import { isCredential } from '../../base/header-field.ts';
import { variablePattern, type GivenRequest } from './given-api.ts';
import { isObject } from '../../base/is-object.ts';
import { reservedHeaders } from '../../plan/header-script.ts';
import type { HeaderFields } from '../../protocol/protocol.ts';
import { Code, literal, textLiteral } from './literal.ts';

/** Variable of the API key. */
export const keyVariable = 'CHAT_LOAD_API_KEY';

/** Authorization and headers of a scenario, without secrets. */
export interface Moved {
  /** Fields of `target`. */
  readonly target: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Query of the URL, as an expression; '' for none. */
  readonly query: Code;
  /** True if the API key is in the URL or in the body, so that no header carries it. */
  readonly isKeyInside: boolean;
  /** Values of the variables that the scenario reads; `undefined`: only the environment has it. */
  readonly variables: ReadonlyMap<string, string | undefined>;
}

/**
 * Moves the secrets of a request to variables of the environment: whatever a name or a form suggests to be one. `authorize`
 * returns the headers in which a known protocol sends the key.
 */
export function moveSecrets(
  request: GivenRequest,
  authorize: (apiKey: string) => HeaderFields,
  isKnown: boolean,
): Moved {
  const variables = new Map<string, string | undefined>();
  const reference = (name: string, value: string): Code => {
    const own = soleVariable(value);
    variables.set(own ?? name, own === undefined && value.search(variablePattern) === -1 ? value : undefined);
    return new Code(`process.env[${textLiteral(own ?? name)}] ?? ''`);
  };
  const target: Record<string, unknown> = {};
  const key = (value: string): void => {
    const code = reference(keyVariable, value);
    // The product reads its own variable by itself.
    if (code.text !== new Code(`process.env['${keyVariable}'] ?? ''`).text) target['apiKey'] = code;
  };
  let hasKey = false;
  let isKeyInside = false;
  const headers: Record<string, unknown> = {};
  const own = Object.entries(authorize('\0')).map(
    ([name, value]) => [name.toLowerCase(), value.replace('\0', '')] as const,
  );
  const kept = request.headers.filter(([name]) => !isDropped(name));
  const credentials = kept.filter(([name, value]) => isCredential(name) || isSecretText(value));
  if (request.basic !== undefined) {
    const [user, password] = request.basic;
    target['auth'] = {
      basic: { user: reference('CHAT_LOAD_USER', user), password: reference('CHAT_LOAD_PASSWORD', password) },
    };
    hasKey = true;
  }
  for (const [name, value] of byRank(credentials)) {
    const [, start = ''] = own.find(([each, text]) => each === name.toLowerCase() && value.startsWith(text)) ?? [];
    const isOwn = own.some(([each, text]) => each === name.toLowerCase() && value.startsWith(text));
    const variable = name.toUpperCase().replaceAll(/\W/g, '_');
    const [, token] = /^Bearer\s+(.+)$/i.exec(value) ?? [];
    if (hasKey || /^cookie$/i.test(name)) headers[name] = reference(variable, value);
    else if (isOwn) key(value.slice(start.length).trim());
    else if (/^authorization$/i.test(name) && token !== undefined)
      target['auth'] = { bearer: reference('AGENT_TOKEN', token) };
    else target['auth'] = { header: { name, value: reference(variable, value) } };
    hasKey ||= !/^cookie$/i.test(name);
  }
  for (const [name, value] of kept)
    if (!credentials.some(([each]) => each === name)) headers[name] = textOf(value, reference);
  const inside = (name: string, value: string): Code => {
    if (hasKey) return reference(name.toUpperCase().replaceAll(/\W/g, '_'), value);
    key(value);
    [hasKey, isKeyInside] = [true, !isKnown];
    return target['apiKey'] instanceof Code ? target['apiKey'] : new Code(`process.env['${keyVariable}'] ?? ''`);
  };
  const query = [...request.url.searchParams].flatMap(([name, value]): (readonly [string, string | Code])[] => {
    if (!isCredential(name) && !isSecretText(value)) return [[name, textOf(value, reference)]];
    const code = inside(name, value);
    // A known protocol sends the key in its header.
    return isKnown && !isKeyInside ? [] : [[name, code]];
  });
  const body = movedIn(request.body, inside) as Record<string, unknown>;
  if (Object.keys(headers).length > 0) target['headers'] = headers;
  if (!hasKey) target['auth'] = 'none';
  return { target, body, query: queryCode(query), isKeyInside, variables };
}

type Reference = (name: string, value: string) => Code;

/** Replaces variables in a text that is not secret. */
function textOf(value: string, reference: Reference): string | Code {
  const own = soleVariable(value);
  if (own !== undefined) return reference(own, value);
  if (value.search(variablePattern) === -1) return value;
  const parts = value
    .replaceAll(/[`\\]/g, String.raw`\$&`)
    .replaceAll(variablePattern, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return `\${${reference(name, `$${name}`).text}}`;
    });
  return new Code(`\`${parts}\``);
}

function movedIn(json: unknown, inside: Reference, name = ''): unknown {
  if (Array.isArray(json)) return json.map((item) => movedIn(item, inside, name));
  if (isObject(json))
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, movedIn(value, inside, key)]));
  const isSecret = typeof json === 'string' && json !== '' && (secretField.test(name) || isSecretText(json));
  return isSecret ? inside(name, json) : json;
}

const secretField =
  /(?:api|access|secret|private|auth|bearer)[_-]?(?:key|token)$|passw(?:or)?d|secret$|^token$|^authorization$|credential/i;

/** Reports whether a text has the form of a known kind of key. */
const isSecretText = (text: string): boolean =>
  /^(?:(?:Bearer|Basic) )?(?:sk-|rk_|[sp]k_(?:live|test)_|gh[pousr]_|github_pat_|xox[a-z]-|AIza|AKIA|ya29\.|glpat-|hf_\w{20}|eyJ[\w-]+\.)/.test(
    text,
  );

function soleVariable(value: string): string | undefined {
  const [found, braced, bare] = new RegExp(variablePattern.source).exec(value) ?? [];
  return found === value ? (braced ?? bare) : undefined;
}

/** Sorts the header that authorizes requests first. */
const byRank = (headers: GivenRequest['headers']) => headers.toSorted(([one], [other]) => rank(one) - rank(other));
const rank = (name: string): number =>
  ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'].findIndex((each) => each === name.toLowerCase()) >>> 0;

/** Reports whether a header is written by the protocol, by the connection or by browsers on their own. */
const isDropped = (name: string): boolean =>
  name.startsWith(':') ||
  Object.hasOwn(reservedHeaders, name.toLowerCase()) ||
  /^(?:accept|priority|dnt|sec-.*|x-stainless-.*|if-.*)$/i.test(name);

function queryCode(parameters: readonly (readonly [string, string | Code])[]): Code {
  if (parameters.length === 0) return new Code('');
  const words = parameters.map(([name, value]) =>
    value instanceof Code
      ? `${encodeURIComponent(name)}=\${encodeURIComponent(${value.text})}`
      : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return new Code(`?${words.join('&')}`);
}

/** Returns the lines of fields of `target`. */
export function targetLines(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields).map(([name, value]) => `${name}: ${literal(value, '    ')},`);
}
