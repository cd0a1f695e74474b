import { jsonText } from '../base/json.ts';
import { optionSections, optionsIn } from './scenario-options.ts';

/** Returns an author's value for a message; `undefined` if it is long, not a plain value, empty or may contain a secret. */
export function valueText(value: unknown, path: readonly PropertyKey[]): string | undefined {
  if (path.some((key) => secretKeys.includes(key))) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (typeof value !== 'string' || value === '' || value.length > maxTextLength || userInfo.test(value))
    return undefined;
  return jsonText(value);
}

const maxTextLength = 60;

/** Matches a URL with a name and a password, with or without its scheme. */
const userInfo = /(?:^|\/\/)[^/\s]*@/;

/** Last steps of the paths of secret options, which are the same under `embedded` and in the file of `serve --config`. */
const secretKeys: readonly PropertyKey[] = optionSections
  .flatMap(optionsIn)
  .flatMap(({ name, secret }) => (secret === true ? [name.split('.').at(-1) ?? name] : []));
