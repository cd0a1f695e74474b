import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './command.ts';

const fixture = (name: string): Buffer => readFileSync(join(root, `test/fixtures/test-only-localhost.${name}.pem`));

/** Key and certificate of localhost; the certificate is its own authority. */
export const localhostIdentity = { key: fixture('key'), cert: fixture('cert') };
