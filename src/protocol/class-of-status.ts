import type { ErrorClass } from './outcome.ts';

const classes: Readonly<Record<number, ErrorClass>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
};

/** Returns the class of an unsuccessful response by its status alone. */
export function classOfStatus(status: number): ErrorClass {
  return classes[status] ?? (isServerStatus(status) ? 'server_error' : 'http_other');
}

export function isServerStatus(status: number): boolean {
  return status >= 500 && status <= 599;
}
