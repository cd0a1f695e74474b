import type { Plan } from '../../plan/plan.ts';

/** How requests are authorized and what their heads have besides: names alone, values never. */
export function requestText({ target }: Plan): string {
  const names = Object.keys(target.headers);
  const { tls } = target;
  const said = [
    authorizations[target.auth],
    ...(names.length === 0 ? [] : [`headers ${names.join(', ')}`]),
    ...(target.trace ? ['a traceparent per attempt'] : []),
    ...(target.cookies ? ['cookies by session'] : []),
    ...(tls.cert === null && tls.pfx === null ? [] : ['a client certificate']),
    ...(tls.insecure ? ['the certificate of the target is not verified'] : []),
    ...(target.http2 ? ['over HTTP/2'] : []),
    ...(target.compression ? ['compressed replies accepted'] : []),
    ...(target.expectContinue ? ['bodies wait to be asked for'] : []),
  ];
  return said.join('; ');
}

const authorizations: Readonly<Record<Plan['target']['auth'], string>> = {
  key: 'authorized by the API key',
  none: 'not authorized',
  bearer: 'authorized by a bearer token',
  header: 'authorized by a header of their own',
  basic: 'authorized by user and password',
  token: 'authorized by tokens of a function',
  command: 'authorized by tokens of a command',
  oauth: 'authorized by tokens of an OAuth server',
};
