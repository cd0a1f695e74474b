import { relative, resolve, sep } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';

/** Returns the path of a scenario below a folder, with slashes: its name for coordinator and workers. Throws a usage error for other paths. */
export function pathBelow(file: string, folder: string): string {
  const path = relative(folder, resolve(folder, file)).replaceAll(sep, '/');
  if (path !== '..' && !path.startsWith('../') && resolve(folder, path) === resolve(folder, file)) return path;
  throw new ChatLoadError('usage', {
    message: `${file} is not below ${folder}.`,
    hint: 'Workers find a scenario and its data by their paths below one folder: start the command in a folder above all of them.',
  });
}
