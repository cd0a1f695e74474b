import type { AttemptClass } from './outcome.ts';

/** The class of a response that is no success, where its status alone decides. */
export function classOfStatus(status: number): AttemptClass {
  switch (status) {
    case 400:
      return 'bad_request';
    case 401:
      return 'unauthorized';
    case 403:
      return 'forbidden';
    case 404:
      return 'not_found';
    case 429:
      return 'rate_limited';
    default:
      return isServerStatus(status) ? 'server_error' : 'http_other';
  }
}

export function isServerStatus(status: number): boolean {
  return status >= 500 && status <= 599;
}
