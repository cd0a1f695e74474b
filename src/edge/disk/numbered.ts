import { extname } from 'node:path';

/** The path of a further copy: `peak.json` as `peak-2.json`. */
export function numbered(path: string, copy: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${String(copy)}${extension}`;
}
