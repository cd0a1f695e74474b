import { z } from 'zod';
import { defaulted } from './option.ts';

const truth = z.boolean({ error: 'expected true or false' });

/** How HTTP is spoken with the target. */
export const httpShape = {
  http2: defaulted(truth, {
    meaning:
      'Speaks HTTP/2: with https:// agreed on in the handshake, with http:// from the start. Without it HTTP/1.1 is spoken, unless the server speaks HTTP/2 alone.',
    default: false,
    plan: 'http2',
    flag: 'http2',
    takes: 'switch',
  }),
  compression: defaulted(truth, {
    meaning: 'Accepts whole replies compressed (gzip, br), and decodes them; replies in pieces never are.',
    default: false,
    plan: 'compression',
    flag: 'compression',
    takes: 'switch',
  }),
  expectContinue: defaulted(truth, {
    meaning:
      'Sends `Expect: 100-continue`, and the body when the server asks for it or after a second. HTTP/1.1 alone.',
    default: false,
    plan: 'expectContinue',
    flag: 'expect-continue',
    takes: 'switch',
  }),
};
