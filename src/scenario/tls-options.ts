import { z } from 'zod';
import { closedObject, switchOption, truth } from './closed-object.ts';
import { defaulted, option } from './option.ts';

const file = z.string({ error: 'expected the path of a file' }).min(1);

/** Returns the option of a file, with its flag and its environment name. */
const fileOption = <Key extends string>(key: Key, meaning: string, without?: string) =>
  option(file, {
    meaning,
    ...(without !== undefined && { without }),
    plan: key,
    flag: key,
    environment: `CHAT_LOAD_TLS_${key.toUpperCase()}`,
  });

/** A name as a TLS client may send it: not an address (RFC 6066, section 3), an international one in its ASCII form. */
const serverName = z
  .string()
  .regex(
    /^(?=.{1,253}$)(?![\d.]+$)(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/i,
    "expected a host name such as 'agent.example.com', without scheme and port; IP addresses are not valid in TLS server names",
  );

/** Every field of `target.tls`. None of them is part of the workload. */
export const tlsShape = {
  ca: fileOption(
    'ca',
    "File of certificate authorities to trust, PEM, one or several; replaces Node.js's default CAs and `NODE_EXTRA_CA_CERTS` (like curl's `--cacert`).",
    "Node.js's default authorities",
  ),
  cert: fileOption(
    'cert',
    'File of the client certificate (mutual TLS), PEM, followed by its intermediate certificates.',
  ),
  key: fileOption(
    'key',
    "File of the client certificate's private key, PEM; the passphrase of an encrypted key is only read from `CHAT_LOAD_TLS_PASSPHRASE`.",
  ),
  pfx: fileOption(
    'pfx',
    'File of client certificate and key, PKCS#12 (`.p12`, `.pfx`), instead of `cert` and `key`; its passphrase is only read from `CHAT_LOAD_TLS_PASSPHRASE`.',
  ),
  serverName: option(serverName, {
    meaning: 'Server name to request (SNI) and to verify in the certificate.',
    without: 'the host of the base URL',
    plan: 'serverName',
    flag: 'tls-server-name',
  }),
  minVersion: option(z.enum(['1.2', '1.3']), {
    meaning: 'Minimum TLS version.',
    without: '1.2',
    plan: 'minVersion',
    flag: 'tls-min-version',
  }),
  resume: defaulted(truth, {
    meaning: 'Resumes TLS sessions, as browsers, curl and Node.js do; `false` (`--no-resume`): full handshakes only.',
    default: true,
    plan: 'resume',
    flag: 'no-resume',
    flagMeaning: 'Disable TLS session resumption',
    takes: 'off-switch',
  }),
  insecure: switchOption(
    'insecure',
    'Skip certificate verification: an attacker on the network could read the key and impersonate the service.',
  ),
};

/** The schema of `target.tls`: a certificate requires its key, and there is at most one pair. */
export const tlsOptions = closedObject(tlsShape).superRefine(({ cert, key, pfx }, context) => {
  const refuse = (name: keyof typeof tlsShape, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (cert !== undefined && key === undefined) refuse('cert', 'needs its private key: target.tls.key (--key)');
  if (key !== undefined && cert === undefined) refuse('key', 'needs its certificate: target.tls.cert (--cert)');
  if (pfx !== undefined && (cert ?? key) !== undefined)
    refuse('pfx', 'contains a certificate and its key: omit cert and key (--cert, --key)');
});

/** `target.tls` as read. */
export type ReadTls = z.output<typeof tlsOptions>;
