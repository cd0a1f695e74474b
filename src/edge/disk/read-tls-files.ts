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
  type NamedTlsFiles,
  type ReadTlsFiles,
  type TlsFileName,
  type TlsFiles,
} from '../../plan/plan.ts';
import type { ScenarioProblem } from '../../scenario/compile-value.ts';
import { withPlain } from '../open-file.ts';

/** Where paths begin: those of the scenario file, and those of flags and environment. */
interface Folders {
  ofScenario: string;
  ofCommand: string;
}

/** Reads the files of `target.tls`, and looks whether they can be used together, and today. */
export function tlsFilesReader(folders: Folders, now: () => number = Date.now): ReadTlsFiles {
  return (named) => {
    const reading = new Reading(named, folders);
    const files = reading.files();
    const { ca, cert, key, pfx } = files;
    if (ca !== undefined) reading.try('ca', () => certificatesIn(ca));
    if (cert !== undefined && key !== undefined) reading.requirePair({ cert, key }, now());
    if (pfx !== undefined) reading.requireStore(pfx, now());
    const { problems, clientValidTo } = reading;
    return { files: { ...files, ...(clientValidTo && { clientValidTo }) }, problems };
  };
}

/** More than a bundle of every authority there is. */
const maxBytes = 16 * 1024 ** 2;

class Reading {
  readonly problems: ScenarioProblem[] = [];
  clientValidTo: Date | undefined;
  readonly #named: NamedTlsFiles;
  readonly #folders: Folders;

  constructor(named: NamedTlsFiles, folders: Folders) {
    this.#named = named;
    this.#folders = folders;
  }

  files(): TlsFiles {
    const { passphrase } = this.#named;
    const files: TlsFiles = passphrase === undefined ? {} : { passphrase };
    for (const name of tlsFileNames) {
      const content = this.try(name, () => this.#read(name));
      if (content !== undefined) files[name] = content;
    }
    return files;
  }

  /** What goes wrong is a problem of that option. */
  try<Made>(name: TlsFileName, make: () => Made): Made | undefined {
    try {
      return make();
    } catch (thrown) {
      const message = `${this.#named.tls[name] ?? ''} cannot be used: ${fileReason(thrown)}`;
      this.problems.push({ path: `target.tls.${name}`, message });
      return undefined;
    }
  }

  requirePair({ cert, key }: { cert: Buffer; key: Buffer }, now: number): void {
    const [own] = this.try('cert', () => certificatesIn(cert)) ?? [];
    const opened = this.try('key', () => privateKeyIn(key, this.#named.passphrase));
    if (own === undefined || opened === undefined) return;
    this.try('key', () => requireOwn(own, opened));
    this.#requireValid('cert', own, now);
  }

  requireStore(pfx: Buffer, now: number): void {
    const own = this.try('pfx', () => certificateIn(pfx, this.#named.passphrase));
    if (own !== undefined) this.#requireValid('pfx', own, now);
  }

  #read(name: TlsFileName): Buffer | undefined {
    const path = this.#named.tls[name];
    if (path === undefined) return undefined;
    const { ofScenario, ofCommand } = this.#folders;
    return withPlain(resolve(this.#named.isInScenario(name) ? ofScenario : ofCommand, path), (file) => {
      if (fstatSync(file).size > maxBytes) throw new Error('it is larger than 16 MB');
      return readFileSync(file);
    });
  }

  #requireValid(name: TlsFileName, { validFrom, validTo }: X509Certificate, now: number): void {
    this.clientValidTo = new Date(validTo);
    this.try(name, () => {
      if (Date.parse(validFrom) > now)
        throw new Error(`the certificate is valid from ${dateIn(validFrom)} on: is the clock right?`);
      if (Date.parse(validTo) < now) throw new Error(`the certificate ended on ${dateIn(validTo)}: have it renewed`);
    });
  }
}

const dateIn = (text: string): string => new Date(text).toISOString().slice(0, 10);

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The certificates of a PEM file, the first one first. A context would ignore what is none. */
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

/** ASN.1, which the other forms are, begins with a sequence. */
const otherForm = (content: Buffer): string =>
  content[0] === 0x30
    ? '; it looks like DER: openssl x509 -inform DER -in FILE -out FILE.pem makes PEM of it, and --pfx takes PKCS#12'
    : '; it must be PEM text';

function privateKeyIn(pem: Buffer, passphrase: string | undefined): KeyObject {
  const text = pem.toString('latin1');
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw new Error('it has no line -----BEGIN PRIVATE KEY-----; it must be PEM text');
  const isEncrypted = /ENCRYPTED/.test(text);
  if (isEncrypted && passphrase === undefined) throw new Error(`it is encrypted: ${givePhrase}`);
  try {
    return createPrivateKey(isEncrypted && passphrase !== undefined ? { key: pem, passphrase } : pem);
  } catch (cause) {
    const why = isEncrypted ? wrongPhrase : 'it is damaged, or of a kind that OpenSSL does not know';
    throw new Error(`${why} (${reasonIn(cause)})`, { cause });
  }
}

const givePhrase = `set its pass phrase in ${passphraseVariable}`;
const wrongPhrase = `the pass phrase in ${passphraseVariable} does not open it`;

function requireOwn(cert: X509Certificate, key: KeyObject): void {
  if (cert.checkPrivateKey(key)) return;
  throw new Error(
    `it is not the key of the certificate (${cert.subject.replaceAll('\n', ', ')}): give the two together`,
  );
}

/** The certificate of a PKCS#12 file that goes with its key. */
function certificateIn(pfx: Buffer, passphrase: string | undefined): X509Certificate {
  let made: unknown;
  try {
    made = createSecureContext(passphrase === undefined ? { pfx } : { pfx, passphrase }).context;
  } catch (cause) {
    throw new Error(storeFault(messageOf(cause), { pfx, passphrase }), { cause });
  }
  // Node's own, and not in its types.
  const der = isObject(made) ? (made as { getCertificate?: () => unknown }).getCertificate?.() : null;
  if (!Buffer.isBuffer(der)) throw new Error('it holds no certificate');
  return new X509Certificate(der);
}

interface Store {
  pfx: Buffer;
  passphrase: string | undefined;
}

/** What OpenSSL says of such a file, in words. */
function storeFault(said: string, { pfx, passphrase }: Store): string {
  if (/mac verify failure/i.test(said))
    return passphrase === undefined ? `it is encrypted: ${givePhrase}` : wrongPhrase;
  if (/unsupported/i.test(said)) return reExport;
  if (/private key/i.test(said)) return 'it holds no private key: export it again with its key';
  const pem = pfx.toString('latin1').includes('-----BEGIN') ? '; PEM files go to --cert and --key' : '';
  return `it is no PKCS#12 file (${said})${pem}`;
}

const reExport =
  'it is encrypted as OpenSSL 1 did (RC2), which OpenSSL 3 refuses: export it again, with ' +
  'openssl pkcs12 -legacy -in OLD.p12 -nodes -out ALL.pem and openssl pkcs12 -export -in ALL.pem -out NEW.p12';

/** The reason in an error of OpenSSL, such as `error:1C800064:Provider routines::bad decrypt`. */
const reasonIn = (error: unknown): string => messageOf(error).replace(/^error:[\dA-F]+:[^:]*:[^:]*:/i, '');
