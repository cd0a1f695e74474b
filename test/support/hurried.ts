import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { performCommand } from './command-in-process.ts';
import { root } from './command.ts';

const preload = pathToFileURL(join(root, 'test/preload/hurry.mjs')).href;

/** The environment of a probe that measures its generator in 0.2 s instead of 4 s, for tests of other figures. */
export const hurried = { NODE_OPTIONS: `--import=${preload}` };

/** Performs a command in this process in the same hurry. */
export async function performHurried(...given: Parameters<typeof performCommand>): ReturnType<typeof performCommand> {
  const calm = globalThis.setTimeout;
  globalThis.setTimeout = await hurriedTimeout();
  try {
    return await performCommand(...given);
  } finally {
    globalThis.setTimeout = calm;
  }
}

let hurry: typeof setTimeout | undefined;

/** Returns the timer function with which the preload replaces the global one. */
async function hurriedTimeout(): Promise<typeof setTimeout> {
  if (hurry !== undefined) return hurry;
  const { setInterval, setTimeout } = globalThis;
  await import(/* @vite-ignore */ preload);
  hurry = globalThis.setTimeout;
  Object.assign(globalThis, { setInterval, setTimeout });
  return hurry;
}
