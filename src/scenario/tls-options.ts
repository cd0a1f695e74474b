import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { defaulted, option } from './option.ts';

const file = z.string({ error: 'expected the path of a file' }).min(1);
const isOn = z.boolean({ error: 'expected true or false' });

/** A name as a TLS client may ask for it: no address (RFC 6066, section 3), and of another alphabet its ASCII form. */
const serverName = z
  .string()
  .regex(
    /^(?=.{1,253}$)(?![\d.]+$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i,
    "expected a host name such as 'agent.example.com', without scheme and port; no IP address, which TLS has no name for",
  );

/** Every field of `target.tls`. None of them is part of what is asked of the service. */
export const tlsShape = {
  ca: option(file, {
    meaning:
      'File of the certificate authorities to trust, PEM, one or several; in place of those of Node.js and of `NODE_EXTRA_CA_CERTS`, as of curl.',
    without: 'the authorities of Node.js',
    plan: 'ca',
    flag: 'ca',
    environment: 'CHAT_LOAD_TLS_CA',
  }),
  cert: option(file, {
    meaning:
      'File of the certificate to show to the service (mutual TLS), PEM, with the certificates between behind it.',
    plan: 'cert',
    flag: 'cert',
    environment: 'CHAT_LOAD_TLS_CERT',
  }),
  key: option(file, {
    meaning:
      'File of the private key of that certificate, PEM; the pass phrase of an encrypted one comes from `CHAT_LOAD_TLS_PASSPHRASE` alone.',
    plan: 'key',
    flag: 'key',
    environment: 'CHAT_LOAD_TLS_KEY',
  }),
  pfx: option(file, {
    meaning:
      'File of both, PKCS#12 (`.p12`, `.pfx`), in place of `cert` and `key`; its pass phrase comes from `CHAT_LOAD_TLS_PASSPHRASE` alone.',
    plan: 'pfx',
    flag: 'pfx',
    environment: 'CHAT_LOAD_TLS_PFX',
  }),
  serverName: option(serverName, {
    meaning: 'The name to ask for (SNI) and to find in the certificate.',
    without: 'the host of the base URL',
    plan: 'serverName',
    flag: 'tls-server-name',
  }),
  minVersion: option(z.enum(['1.2', '1.3']), {
    meaning: 'The lowest version of TLS to speak.',
    without: '1.2',
    plan: 'minVersion',
    flag: 'tls-min-version',
  }),
  resume: defaulted(isOn, {
    meaning:
      'Offers the latest session again, as browsers, curl and Node.js do; `false` (`--no-resume`): every handshake is a full one.',
    default: true,
    plan: 'resume',
    flag: 'no-resume',
    flagMeaning: 'Makes every handshake of TLS a full one: no session is offered again.',
    takes: 'off-switch',
  }),
  insecure: defaulted(isOn, {
    meaning: 'Verifies no certificate: whoever is on the way can read the key and answer for the service.',
    default: false,
    plan: 'insecure',
    flag: 'insecure',
    takes: 'switch',
  }),
};

/** The schema of `target.tls`: a certificate and its key go together, and there is one of them. */
export const tlsOptions = closedObject(tlsShape).superRefine(({ cert, key, pfx }, context) => {
  const refuse = (name: keyof typeof tlsShape, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (cert !== undefined && key === undefined) refuse('cert', 'needs its private key: target.tls.key (--key)');
  if (key !== undefined && cert === undefined) refuse('key', 'needs its certificate: target.tls.cert (--cert)');
  if (pfx !== undefined && (cert ?? key) !== undefined)
    refuse('pfx', 'holds a certificate and its key: leave cert and key out (--cert, --key)');
});

/** `target.tls` as it was read. */
export type ReadTls = z.output<typeof tlsOptions>;
