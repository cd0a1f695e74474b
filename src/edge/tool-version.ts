import { createRequire } from 'node:module';
import { pathInPackage } from './path-in-package.ts';

/** The version of this package. */
export const toolVersion: string = (
  createRequire(import.meta.url)(pathInPackage('package.json')) as { version: string }
).version;
