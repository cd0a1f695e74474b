import { createRequire } from 'node:module';
import { ChatLoadError, messageOf } from '../base/errors.ts';
import { pathInPackage } from './path-in-package.ts';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../base/is-object.ts';

/** Packages that are not installed with chat-load, because few of its users need them. */
export interface OptionalPackages {
  /** Start of the message if they are missing: `Exporting metrics requires OpenTelemetry's packages`. */
  need: string;
  /** Prefixes of their names. */
  names: readonly string[];
}

/** Loads a module that needs optional packages. Throws a usage error if they are missing. */
export async function withPackages<Loaded>(packages: OptionalPackages, load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (thrown) {
    if (!isMissing(thrown, packages)) throw thrown;
    throw new ChatLoadError('usage', {
      message: `${packages.need}, which are not installed with chat-load.`,
      hint: `Install them next to it: ${installLine(packages)}`,
      cause: thrown,
    });
  }
}

/** Returns the command that installs the packages, in the versions that chat-load is tested with. */
export function installLine({ names }: OptionalPackages): string {
  const { peerDependencies, devDependencies } = createRequire(import.meta.url)(pathInPackage('package.json')) as Record<
    'peerDependencies' | 'devDependencies',
    Record<string, string>
  >;
  const packages = Object.keys(peerDependencies)
    .filter((name) => names.some((start) => name.startsWith(start)))
    .map((name) => `${name}@${devDependencies[name] ?? ''}`);
  return `npm install ${packages.join(' ')}`;
}

const isMissing = (thrown: unknown, { names }: OptionalPackages): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  thrown.code === 'ERR_MODULE_NOT_FOUND' &&
  names.some((name) => messageOf(thrown).includes(`'${name}`));

/** Counts the tokens of texts. */
export interface Tokenizer {
  name: string;
  count(text: string): number;
}

/** An optional package, which users who need token counts install next to the scenarios. */
const packageName = 'gpt-tokenizer';

/** Finds a tokenizer in the folder in which the command was started; `undefined`: there is none. */
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

/** Loads an encoding of the optional tokenizer, for a command that was started in a folder. Throws a usage error if it is missing. */
export async function loadEncoding(encoding: string, folder: string): Promise<Tokenizer> {
  let loaded: unknown;
  try {
    const path = createRequire(resolve(folder, 'package.json')).resolve(`${packageName}/encoding/${encoding}`);
    loaded = await import(pathToFileURL(path).href);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `Counting tokens by ${encoding} requires the package ${packageName}, which is not installed with chat-load.`,
      hint: `Install it in this folder: npm install ${packageName}. Or count words: omit tokenizer.`,
      cause: thrown,
    });
  }
  const encode = encoderIn(loaded) ?? (isObject(loaded) ? encoderIn(loaded['default']) : undefined);
  if (encode === undefined)
    throw new ChatLoadError('usage', {
      message: `The installed package ${packageName} cannot encode text.`,
      hint: `Install a current version: npm install ${packageName}@latest`,
    });
  // Texts such as <|endoftext|> are counted, not refused.
  const plain = { disallowedSpecial: new Set<string>() };
  return { name: encoding, count: (text) => encode(text, plain).length };
}

type Encode = (text: string, options?: object) => readonly unknown[];

const encoderIn = (module: unknown): Encode | undefined =>
  isObject(module) && typeof module['encode'] === 'function' ? (module['encode'] as Encode) : undefined;
