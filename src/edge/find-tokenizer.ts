import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../base/is-object.ts';

/** Counts the tokens of texts. */
export interface Tokenizer {
  name: string;
  count(text: string): number;
}

/** An optional package: whoever wants tokens counted installs it beside the scenarios. */
const packageName = 'gpt-tokenizer';

/** Finds a tokenizer that is installed where the command was started; `undefined`: there is none. */
export async function findTokenizer(folder: string): Promise<Tokenizer | undefined> {
  let path: string;
  try {
    path = createRequire(resolve(folder, 'package.json')).resolve(packageName);
  } catch {
    return undefined;
  }
  const loaded: unknown = await import(pathToFileURL(path).href);
  const encode = encoderIn(loaded) ?? (isObject(loaded) ? encoderIn(loaded['default']) : undefined);
  if (encode === undefined) return undefined;
  return { name: packageName, count: (text) => encode(text).length };
}

type Encode = (text: string) => readonly unknown[];

const encoderIn = (module: unknown): Encode | undefined =>
  isObject(module) && typeof module['encode'] === 'function' ? (module['encode'] as Encode) : undefined;
