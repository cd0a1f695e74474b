import type { CompiledValue, ScenarioProblem } from '../scenario/compile-value.ts';
import { isCredential, nameFault, secretsOf, valueFault } from '../base/header-field.ts';
import type { HeaderFields } from '../protocol/protocol.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import { resolveAuth, basicCredential } from './resolve-auth.ts';
import type { ReadAuth } from '../scenario/auth-options.ts';

/** A compiled part with the key of its own random stream: other parts never change its draws. */
export interface ScriptPart {
  /** Path in the scenario file. */
  readonly path: string;
  readonly value: CompiledValue;
  readonly key: number;
}

/** Header fields of the scenario, compiled. */
export interface HeaderScript {
  /** Header text that is the same for all requests; ASCII. */
  readonly constant: HeaderFields;
  /** Headers that are rendered per session or per turn. */
  readonly rendered: readonly HeaderPart[];
}

export interface HeaderPart extends ScriptPart {
  readonly name: string;
  /** Returns the secret parts of a value; if omitted, the header's name decides. */
  readonly secretsIn?: (value: string) => readonly string[];
}

/** Header fields as a session sends them. */
export interface RenderedHeaders {
  readonly fields: HeaderFields;
  /** Rendered headers, each as `Name: value\r\n`. */
  readonly text: string;
  /** Secret parts of their values. */
  readonly secrets: readonly string[];
}

interface HeaderCompiler {
  compile: (value: unknown, name: string) => ScriptPart;
  problems: ScenarioProblem[];
}

/** Compiles `target.headers`; adds values that cannot be sent to `problems`, never quoting them. */
export function compileHeaders(target: ReadScenario['target'], { compile, problems }: HeaderCompiler): HeaderScript {
  const given = Object.entries(target.headers);
  const constant: Record<string, string> = {};
  const rendered: HeaderPart[] = [];
  for (const [index, [name, value]] of given.entries()) {
    const path = `target.headers.${name}`;
    const before = given.slice(0, index).map(([each]) => each.toLowerCase());
    const problem = problemOf(name, value, { target, before });
    if (problem !== undefined) {
      problems.push({ path: name === '' ? 'target.headers' : path, message: problem });
      continue;
    }
    const part = compile(value, path);
    const { constant: same } = part.value;
    const text = isPlain(same) ? String(same) : undefined;
    const fault = text === undefined ? undefined : valueFault(text);
    if (fault !== undefined) problems.push({ path, message: `has ${fault}` });
    if (text !== undefined && isAscii(text)) constant[name] = text;
    else rendered.push({ ...part, name });
  }
  return { constant, rendered };
}

/** Returns the secret parts of constant headers. */
export function headerSecrets({ constant }: HeaderScript): string[] {
  return Object.entries(constant).flatMap(([name, value]) => (isCredential(name) ? secretsOf(value) : []));
}

/** Returns the problem of a header, if any; `before`: names of the preceding headers, in lower case. */
function problemOf(
  name: string,
  value: unknown,
  { target, before }: { target: ReadScenario['target']; before: readonly string[] },
): string | undefined {
  if (name === '') return "has a header without a name: write it as 'X-Tenant: acme'";
  if (Array.isArray(value)) return 'is set more than once';
  const fault = nameFault(name);
  if (fault !== undefined) return fault;
  const small = name.toLowerCase();
  if (before.includes(small)) return 'is set more than once: the case of a name does not matter';
  return reasonAgainst(small, target) ?? valueProblem(value);
}

function reasonAgainst(name: string, target: ReadScenario['target']): string | undefined {
  const { cookies, trace } = target;
  if (Object.hasOwn(reservedHeaders, name)) return `cannot be set: ${reservedHeaders[name] ?? ''}`;
  if (name === 'cookie' && cookies) return 'cannot be set with target.cookies, which writes it';
  if (name === 'traceparent' && trace) return 'cannot be set with target.trace, which writes it';
  if (namesOfKey(target).includes(name))
    return target.auth === undefined
      ? 'cannot be set: the API key is sent in it (target.apiKey)'
      : 'cannot be set: it authorizes (target.auth)';
  return undefined;
}

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function valueProblem(value: unknown): string | undefined {
  if (value === undefined || value === '')
    return `is ${value === '' ? 'empty' : 'undefined'}: most likely from an environment variable that is not set`;
  return isPlain(value) || typeof value === 'function'
    ? undefined
    : 'expected a text, a number, true or false, or a function';
}

const byUs = 'chat-load writes it';
export const reservedHeaders: Readonly<Record<string, string>> = {
  host: 'target.baseUrl defines it',
  'content-type': 'the protocol writes it, like the body',
  'content-length': byUs,
  'transfer-encoding': byUs,
  connection: byUs,
  'keep-alive': byUs,
  'proxy-connection': byUs,
  'proxy-authorization': 'only the proxy receives it',
  expect: byUs,
  'accept-encoding': byUs,
  te: byUs,
  trailer: byUs,
  upgrade: byUs,
};

/** Returns the names of the fields that carry the key, in lower case. */
function namesOfKey({ auth, protocol }: ReadScenario['target']): string[] {
  try {
    return Object.keys(resolveAuth(auth, { apiKey: '', protocol }).authorize('key')).map((name) => name.toLowerCase());
  } catch {
    // The author's own function, called with the real key when the run begins.
    return [];
  }
}

const isAscii = (text: string): boolean => /^[\x20-\x7e\t]*$/.test(text);

/**
 * Compiles the header that authorizes one session only, if `target.auth` contains a template or a function. `undefined`:
 * authorization is the same for all sessions, or is not configured here.
 */
export function compileIdentity(
  auth: ReadAuth | undefined,
  compile: (value: unknown, path: string) => ScriptPart,
): HeaderPart | undefined {
  if (auth === undefined || auth === 'none') return undefined;
  const { bearer, header, basic } = auth;
  if (bearer !== undefined)
    return identity('Authorization', [compile(bearer, 'target.auth.bearer')], ([token = '']) => `Bearer ${token}`);
  if (header !== undefined)
    return identity(header.name, [compile(header.value, 'target.auth.header.value')], ([text = '']) => text);
  if (basic === undefined) return undefined;
  const parts = [compile(basic.user, 'target.auth.basic.user'), compile(basic.password, 'target.auth.basic.password')];
  const write = ([user = '', password = '']: readonly string[]): string => `Basic ${basicCredential(user, password)}`;
  const named = identity('Authorization', parts, write);
  return named && { ...named, secretsIn: secretsOfBasic };
}

type Scope = Parameters<ScriptPart['value']['render']>[0];

function identity(
  name: string,
  parts: readonly ScriptPart[],
  write: (texts: readonly string[]) => string,
): HeaderPart | undefined {
  const last = parts.at(-1);
  if (last === undefined || parts.every(({ value }) => value.constant !== undefined)) return undefined;
  return {
    ...last,
    name,
    secretsIn: (value) => [value, value.replace(/^Bearer /, '')],
    value: { constant: undefined, render: (scope) => write(parts.map((part) => textOf(part, scope))) },
  };
}

/** Renders a credential. An empty one is an error, usually because a row lacks that field. */
function textOf({ value, path }: ScriptPart, scope: Scope): string {
  const text = value.render(scope);
  if ((typeof text === 'string' && text !== '') || typeof text === 'number') return String(text);
  throw new Error(`${path} returned ${text === '' ? 'empty text' : 'a value that is not text'}`);
}

function secretsOfBasic(value: string): string[] {
  const credential = value.replace(/^Basic /, '');
  const [, ...password] = Buffer.from(credential, 'base64').toString().split(':');
  return [credential, password.join(':')];
}
