import { z } from 'zod';
import { defaulted } from './option.ts';

const truth = z.boolean({ error: 'expected true or false' });

/** HTTP options of the target. */
export const httpShape = {
  http2: defaulted(truth, {
    meaning:
      'Uses HTTP/2: negotiated in the TLS handshake for https://, with prior knowledge for http://. Without it HTTP/1.1 is used, unless the server only supports HTTP/2.',
    default: false,
    plan: 'http2',
    flag: 'http2',
    takes: 'switch',
  }),
  compression: defaulted(truth, {
    meaning:
      'Accepts compressed (gzip, br) non-streamed replies and decodes them; streamed replies are never compressed.',
    default: false,
    plan: 'compression',
    flag: 'compression',
    takes: 'switch',
  }),
  expectContinue: defaulted(truth, {
    meaning: 'Sends `Expect: 100-continue`, and the body when the server requests it or after a second. HTTP/1.1 only.',
    default: false,
    plan: 'expectContinue',
    flag: 'expect-continue',
    takes: 'switch',
  }),
};
