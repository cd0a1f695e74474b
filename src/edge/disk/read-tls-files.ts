import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { fstatSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { isObject } from '../../base/is-object.ts';
import {
  passphraseVariable,
  tlsFileNames,
  type ReadTlsFiles,
  type TlsFileName,
  type TlsFiles,
} from '../../plan/plan.ts';
import type { ScenarioProblem } from '../../scenario/compile-value.ts';
import { withPlain } from '../open-file.ts';

/** Folders to which paths are relative: in the scenario file, and in flags and environment variables. */
interface Folders {
  ofScenario: string;
  ofCommand: string;
}

/** Returns a reader of the files of `target.tls`, which checks that they can be used together, and today. */
export function tlsFilesReader({ ofScenario, ofCommand }: Folders, now: () => number = Date.now): ReadTlsFiles {
  return ({ tls, passphrase, isInScenario }) => {
    const problems: ScenarioProblem[] = [];
    /** Reports an error as a problem of the option. */
    const attempt = <Made>(name: TlsFileName, make: () => Made): Made | undefined => {
      try {
        return make();
      } catch (thrown) {
        const message = `${tls[name] ?? ''} cannot be used: ${fileReason(thrown)}`;
        problems.push({ path: `target.tls.${name}`, message });
        return undefined;
      }
    };
    const files: TlsFiles = passphrase === undefined ? {} : { passphrase };
    for (const name of tlsFileNames) {
      const path = tls[name];
      const folder = isInScenario(name) ? ofScenario : ofCommand;
      const content = path === undefined ? undefined : attempt(name, () => readFile(resolve(folder, path)));
      if (content !== undefined) files[name] = content;
    }
    const { ca, cert, key, pfx } = files;
    if (ca !== undefined) attempt('ca', () => certificatesIn(ca));
    if (cert !== undefined && key !== undefined) {
      const [own] = attempt('cert', () => certificatesIn(cert)) ?? [];
      const opened = attempt('key', () => privateKeyIn(key, passphrase));
      if (own !== undefined && opened !== undefined) {
        attempt('key', () => requireOwn(own, opened));
        files.clientValidTo = new Date(own.validTo);
        attempt('cert', () => requireValid(own, now()));
      }
    }
    const stored = pfx && attempt('pfx', () => certificateIn(pfx, passphrase));
    if (stored !== undefined) {
      files.clientValidTo = new Date(stored.validTo);
      attempt('pfx', () => requireValid(stored, now()));
    }
    return { files, problems };
  };
}

/** More than a bundle of all certificate authorities. */
const maxBytes = 16 * 1024 ** 2;

function readFile(path: string): Buffer {
  return withPlain(path, (file) => {
    if (fstatSync(file).size > maxBytes) throw new Error('it is larger than 16 MB');
    return readFileSync(file);
  });
}

function requireValid({ validFrom, validTo }: X509Certificate, now: number): void {
  if (Date.parse(validFrom) > now)
    throw new Error(`the certificate is valid from ${dateIn(validFrom)} on: check the clock of this machine`);
  if (Date.parse(validTo) < now) throw new Error(`the certificate expired on ${dateIn(validTo)}: have it renewed`);
}

const dateIn = (text: string): string => new Date(text).toISOString().slice(0, 10);

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Returns the certificates of a PEM file in order. A secure context would ignore other content. */
function certificatesIn(pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('latin1').match(certificateBlock) ?? [];
  if (blocks.length === 0) throw new Error(`it has no line -----BEGIN CERTIFICATE-----${otherForm(pem)}`);
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      const which = blocks.length === 1 ? 'its certificate' : `certificate ${String(index + 1)} in it`;
      throw new Error(`${which} is damaged (${reasonIn(cause)})`, { cause });
    }
  });
}

/** The other forms are ASN.1, which begins with a sequence. */
const otherForm = (content: Buffer): string =>
  content[0] === 0x30
    ? '; it looks like DER: openssl x509 -inform DER -in FILE -out FILE.pem makes PEM of it, and --pfx takes PKCS#12'
    : '; it must be PEM text';

function privateKeyIn(pem: Buffer, passphrase: string | undefined): KeyObject {
  const text = pem.toString('latin1');
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw new Error('it has no line -----BEGIN PRIVATE KEY-----; it must be PEM text');
  const isEncrypted = /ENCRYPTED/.test(text);
  if (isEncrypted && passphrase === undefined) throw new Error(`it is encrypted: ${setPhrase}`);
  try {
    return createPrivateKey(isEncrypted && passphrase !== undefined ? { key: pem, passphrase } : pem);
  } catch (cause) {
    const why = isEncrypted ? wrongPhrase : 'it is damaged, or of a kind that OpenSSL does not know';
    throw new Error(`${why} (${reasonIn(cause)})`, { cause });
  }
}

const setPhrase = `set its passphrase in ${passphraseVariable}`;
const wrongPhrase = `the passphrase in ${passphraseVariable} does not open it`;

function requireOwn(cert: X509Certificate, key: KeyObject): void {
  if (cert.checkPrivateKey(key)) return;
  throw new Error(`it is not the key of the certificate (${cert.subject.replaceAll('\n', ', ')}): set both`);
}

/** Returns the certificate of a PKCS#12 file that belongs to its key. */
function certificateIn(pfx: Buffer, passphrase: string | undefined): X509Certificate {
  let made: unknown;
  try {
    made = createSecureContext(passphrase === undefined ? { pfx } : { pfx, passphrase }).context;
  } catch (cause) {
    throw new Error(storeFault(messageOf(cause), pfx, passphrase), { cause });
  }
  // A method of Node.js that its types omit.
  const der = isObject(made) ? (made as { getCertificate?: () => unknown }).getCertificate?.() : null;
  if (!Buffer.isBuffer(der)) throw new Error('it contains no certificate');
  return new X509Certificate(der);
}

/** Describes an error that OpenSSL reports for such a file. */
function storeFault(reported: string, pfx: Buffer, passphrase: string | undefined): string {
  if (/mac verify failure/i.test(reported))
    return passphrase === undefined ? `it is encrypted: ${setPhrase}` : wrongPhrase;
  if (/unsupported/i.test(reported)) return reExport;
  if (/private key/i.test(reported)) return 'it contains no private key: export it again with its key';
  const pem = pfx.toString('latin1').includes('-----BEGIN') ? '; PEM files go to --cert and --key' : '';
  return `it is not a PKCS#12 file (${reported})${pem}`;
}

const reExport =
  'it is encrypted as OpenSSL 1 did (RC2), which OpenSSL 3 refuses: export it again, with ' +
  'openssl pkcs12 -legacy -in OLD.p12 -nodes -out ALL.pem and openssl pkcs12 -export -in ALL.pem -out NEW.p12';

/** Returns the reason in an error of OpenSSL, such as `error:1C800064:Provider routines::bad decrypt`. */
const reasonIn = (error: unknown): string => messageOf(error).replace(/^error:[\dA-F]+:[^:]*:[^:]*:/i, '');
