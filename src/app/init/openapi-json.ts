import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { isObject, valueAt } from '../../base/is-object.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Follows references within the document. Throws a usage error for another one. */
export function resolved(document: Json, value: unknown, followed: readonly string[] = []): unknown {
  const { $ref } = objectIn(value);
  if (typeof $ref !== 'string') return value;
  if (!$ref.startsWith('#/'))
    throw refusal(
      `the reference ${$ref} leads out of the file`,
      'Bundle the description into one file, for example with npx @redocly/cli bundle FILE.',
    );
  const path = $ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  const found = valueAt(document, path);
  const isCircular = followed.includes($ref);
  if (found === undefined || isCircular)
    throw refusal(`the reference ${$ref} ${isCircular ? 'is circular' : 'leads nowhere'}`, 'Correct the description.');
  return resolved(document, found, [...followed, $ref]);
}

export function textIn(value: unknown): string {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';
}

export function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function refusal(fault: string, hint: string, cause?: unknown): ChatLoadError {
  return usageError(`--from-openapi: ${fault}.`, `Nothing was written. ${hint}`, cause);
}
