import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from './command.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const isCi = /^(1|true)$/.test(process.env['CI'] ?? '');

/** Reports whether tests with certificates can run; prints a notice if not, or throws if they are required. */
export function requireOpenssl(): boolean {
  if (!hasOpenssl) console.log('Certificates are not tested: there is no openssl here (apt-get install openssl).');
  test.runIf(isCi)('openssl is there in continuous integration', () => expect(hasOpenssl).toBe(true));
  return hasOpenssl;
}

/** Certificate and key: their file paths and contents. */
export interface Identity {
  certFile: string;
  keyFile: string;
  cert: Buffer;
  key: Buffer;
}

interface Wanted {
  /** Names and addresses of a service, as openssl takes them. */
  names?: string;
  /** The time of its validity in days from now; default -1 to 60. */
  fromDays?: number;
  toDays?: number;
}

/** A certificate authority for one test, in a separate folder. */
export interface Authority {
  folder: string;
  certFile: string;
  cert: Buffer;
  issue(name: string, wanted?: Wanted): Identity;
  /** Calls openssl in the folder. */
  openssl(...words: readonly string[]): void;
}

const keyKind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export async function openAuthority(subject = 'chat-load test authority'): Promise<Authority> {
  const folder = await makeFolder();
  const openssl = (...words: readonly string[]): void =>
    void execFileSync('openssl', words, { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
  writeFileSync(join(folder, 'ca.cnf'), configuration);
  writeFileSync(join(folder, 'index'), '');
  openssl('req', '-x509', ...keyKind, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '60', '-subj', `/CN=${subject}`);
  const issue = (name: string, { names, fromDays = -1, toDays = 60 }: Wanted = {}): Identity => {
    writeFileSync(
      join(folder, 'extensions'),
      names === undefined ? 'keyUsage=digitalSignature' : `subjectAltName=${names}`,
    );
    openssl('req', ...keyKind, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const validity = ['-startdate', dateOf(fromDays), '-enddate', dateOf(toDays)];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', 'extensions'];
    openssl('ca', '-batch', '-config', 'ca.cnf', '-notext', ...validity, ...files);
    const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
    return { certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) };
  };
  const certFile = join(folder, 'ca.pem');
  return { folder, certFile, cert: readFileSync(certFile), issue, openssl };
}

/** Formats an instant for openssl: 20261123101500Z. */
const dateOf = (days: number): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, '').slice(0, 14)}Z`;

const configuration = `
[ca]
default_ca = own
[own]
dir = .
database = index
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
commonName = supplied
`;
