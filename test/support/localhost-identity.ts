import { readFileSync } from 'node:fs';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/test-only-localhost.${name}.pem`, import.meta.url));

/** Key and certificate of localhost; the certificate is its own authority. */
export const localhostIdentity = { key: fixture('key'), cert: fixture('cert') };
