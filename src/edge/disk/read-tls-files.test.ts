import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openAuthority, requireOpenssl, type Authority } from '../../../test/support/certificate-authority.ts';
import { makeFolder } from '../../../test/support/command.ts';
import type { TlsFiles } from '../../plan/plan.ts';
import type { ReadTls } from '../../scenario/tls-options.ts';
import { tlsFilesReader } from './read-tls-files.ts';

describe.runIf(requireOpenssl())('the files of TLS', () => {
  let authority: Authority;
  let empty = '';

  beforeAll(async () => {
    [authority, empty] = [await openAuthority(), await makeFolder()];
    authority.issue('client');
    authority.issue('other');
    authority.issue('ended', { fromDays: -20, toDays: -3 });
    authority.issue('coming', { fromDays: 3 });
    const { openssl, folder } = authority;
    const pair = ['-inkey', 'client.key', '-in', 'client.pem', '-passout', 'pass:open sesame'];
    openssl('pkcs8', '-topk8', '-in', 'client.key', '-out', 'locked.key', '-passout', 'pass:open sesame');
    openssl('pkcs12', '-export', ...pair, '-out', 'client.p12');
    const old = ['-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-3DES'];
    openssl('pkcs12', '-export', ...old, ...pair, '-out', 'old.p12');
    openssl('x509', '-in', 'client.pem', '-outform', 'DER', '-out', 'client.der');
    const bundle = `# two of them\n${authority.cert.toString()}\n${readFileSync(join(folder, 'other.pem'), 'utf8')}`;
    writeFileSync(join(folder, 'bundle.pem'), bundle);
    writeFileSync(join(folder, 'damaged.pem'), bundle.replace(/(BEGIN[^]*BEGIN CERTIFICATE-----\n)..../, '$1AAAA'));
    writeFileSync(join(folder, 'note.txt'), 'no certificate\n');
  });

  function read(tls: Partial<ReadTls>, passphrase?: string): { files: TlsFiles; problems: string[] } {
    const readFiles = tlsFilesReader({ ofScenario: authority.folder, ofCommand: empty });
    const { files, problems } = readFiles({
      tls: { resume: true, insecure: false, ...tls },
      isInScenario: () => true,
      passphrase,
    });
    return { files, problems: problems.map(({ path, message }) => `${path}: ${message}`) };
  }

  test('are read, and the end of the client certificate with them', () => {
    const { files, problems } = read({ ca: 'bundle.pem', cert: 'client.pem', key: 'client.key' });
    expect(problems).toEqual([]);
    expect(files.ca?.toString()).toContain('two of them');
    const days = ((files.clientValidTo?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(59);
    expect(days).toBeLessThan(61);
  });

  test('are relative to the folder of their option', () => {
    const readFiles = tlsFilesReader({ ofScenario: authority.folder, ofCommand: empty });
    const { problems } = readFiles({
      tls: { resume: true, insecure: false, ca: 'ca.pem' },
      isInScenario: () => false,
      passphrase: undefined,
    });
    expect(problems).toEqual([{ path: 'target.tls.ca', message: 'ca.pem cannot be used: no such file or folder' }]);
  });

  test.each<[Partial<ReadTls>]>([[{ cert: 'client.pem', key: 'locked.key' }], [{ pfx: 'client.p12' }]])(
    'open with the passphrase: %o',
    (tls) => {
      const { files, problems } = read(tls, 'open sesame');
      expect(problems).toEqual([]);
      expect(files.clientValidTo).toBeDefined();
      expect(read(tls).problems.join()).toContain('it is encrypted: set its passphrase in CHAT_LOAD_TLS_PASSPHRASE');
      const wrong = read(tls, 'open barley').problems.join();
      expect(wrong).toContain('the passphrase in CHAT_LOAD_TLS_PASSPHRASE does not open it');
      expect(wrong).not.toContain('barley');
    },
  );

  test.each<[Partial<ReadTls>, string]>([
    [{ ca: 'missing.pem' }, 'target.tls.ca: missing.pem cannot be used: no such file'],
    [{ ca: '.' }, 'target.tls.ca: . cannot be used: it is a folder'],
    [{ ca: 'note.txt' }, 'no line -----BEGIN CERTIFICATE-----; it must be PEM text'],
    [{ ca: 'client.der' }, 'it looks like DER: openssl x509 -inform DER'],
    [{ ca: 'damaged.pem' }, 'certificate 2 in it is damaged'],
    [
      { cert: 'client.pem', key: 'other.key' },
      'target.tls.key: other.key cannot be used: it is not the key of the certificate (CN=client)',
    ],
    [{ cert: 'client.pem', key: 'client.pem' }, 'no line -----BEGIN PRIVATE KEY-----'],
    [{ cert: 'client.key', key: 'client.key' }, 'target.tls.cert: client.key cannot be used: it has no line'],
    [{ cert: 'ended.pem', key: 'ended.key' }, 'target.tls.cert: ended.pem cannot be used: the certificate expired on '],
    [{ cert: 'coming.pem', key: 'coming.key' }, 'the certificate is valid from '],
    [
      { pfx: 'old.p12' },
      'encrypted as OpenSSL 1 did (RC2), which OpenSSL 3 refuses: export it again, with openssl pkcs12 -legacy',
    ],
    [{ pfx: 'client.pem' }, 'it is not a PKCS#12 file'],
    [{ pfx: 'note.txt' }, 'it is not a PKCS#12 file'],
  ])('%o cannot be used', (tls, words) => {
    const { problems } = read(tls, 'open sesame');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
  });
});
