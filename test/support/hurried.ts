import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './command.ts';

/** The environment of a command that prints a line of progress every half second instead of every five. */
export const hurried = { NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/preload/hurry.mjs')).href}` };
