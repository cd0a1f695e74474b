import { isObject } from '../../base/is-object.ts';
import type { Usage } from '../protocol.ts';

/** The tokens in a usage object, under the names that an API has for them; `undefined`: there is no such object. */
export function usageOf(usage: unknown, [input, output]: readonly [string, string]): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return { inputTokens: tokensOf(usage[input]), outputTokens: tokensOf(usage[output]) };
}

const tokensOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
