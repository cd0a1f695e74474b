import type { ReadAuth } from '../scenario/auth-options.ts';
import type { HeaderPart } from './header-script.ts';
import type { ScriptPart } from './script-part.ts';
import { basicCredential } from './settle-auth.ts';

/**
 * What authorizes one session and no other, as a field of its requests: where `target.auth` holds a template or a function.
 * `undefined`: it is the same for all, or not said here.
 */
export function compileIdentity(
  auth: ReadAuth | undefined,
  compile: (value: unknown, path: string) => ScriptPart,
): HeaderPart | undefined {
  if (auth === undefined || auth === 'none') return undefined;
  const { bearer, header, basic } = auth;
  if (bearer !== undefined)
    return identity('Authorization', compile(bearer, 'target.auth.bearer'), (text) => `Bearer ${text}`);
  if (header !== undefined)
    return identity(header.name, compile(header.value, 'target.auth.header.value'), (text) => text);
  if (basic === undefined) return undefined;
  const user = compile(basic.user, 'target.auth.basic.user');
  const password = compile(basic.password, 'target.auth.basic.password');
  if (user.value.constant !== undefined && password.value.constant !== undefined) return undefined;
  return {
    ...password,
    name: 'Authorization',
    secretsIn: secretsOfBasic,
    value: {
      constant: undefined,
      render: (scope) => `Basic ${basicCredential(textOf(user, scope), textOf(password, scope))}`,
    },
  };
}

type Scope = Parameters<ScriptPart['value']['render']>[0];

function identity(name: string, part: ScriptPart, write: (text: string) => string): HeaderPart | undefined {
  if (part.value.constant !== undefined) return undefined;
  const render = (scope: Scope): string => write(textOf(part, scope));
  return {
    ...part,
    name,
    secretsIn: (value) => [value, value.replace(/^Bearer /, '')],
    value: { constant: undefined, render },
  };
}

/** Nobody is let in by nothing: most often a row without that field. */
function textOf({ value, path }: ScriptPart, scope: Scope): string {
  const text = value.render(scope);
  if ((typeof text === 'string' && text !== '') || typeof text === 'number') return String(text);
  throw new Error(`${path} gave ${text === '' ? 'an empty text' : 'no text'}`);
}

function secretsOfBasic(value: string): string[] {
  const credential = value.replace(/^Basic /, '');
  const [, ...password] = Buffer.from(credential, 'base64').toString().split(':');
  return [credential, password.join(':')];
}
