import { isObject } from '../../base/is-object.ts';
import { show, type Fields } from '../answer.ts';

/** What is wrong with an error in the member where these APIs have it: `{ error: { message, type, ... } }`. */
export function errorFault({ error }: Fields): string | undefined {
  if (!isObject(error)) return `error: ${show(error)}`;
  const lacking = ['message', 'type'].find((name) => typeof error[name] !== 'string' || error[name] === '');
  return lacking === undefined ? undefined : `error.${lacking}: ${show(error[lacking])}`;
}
