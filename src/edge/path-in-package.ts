import { fileURLToPath } from 'node:url';

/**
 * The absolute path of a file of this package, such as `dist/index.js`. Two folders up is the package both from here and
 * from `dist/parts`, where the build puts this module. Node.js cannot run the source as it is: what is to be started is
 * named in `dist`, from there too.
 */
export function pathInPackage(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
