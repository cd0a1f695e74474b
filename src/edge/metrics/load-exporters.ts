import { createRequire } from 'node:module';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { pathInPackage } from '../path-in-package.ts';

/** Loads what needs OpenTelemetry's packages, which do not come with chat-load. Throws a usage error where they are missing. */
export async function withPackages<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await load();
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    throw new ChatLoadError('usage', {
      message: "Exporting metrics takes OpenTelemetry's packages, which do not come with chat-load.",
      hint: `Install them beside it: ${installLine()}`,
      cause: thrown,
    });
  }
}

/** The command that installs the packages, in the versions that chat-load is tested with. */
export function installLine(): string {
  const { peerDependencies, devDependencies } = createRequire(import.meta.url)(pathInPackage('package.json')) as Record<
    'peerDependencies' | 'devDependencies',
    Record<string, string>
  >;
  const packages = Object.keys(peerDependencies).map((name) => `${name}@${devDependencies[name] ?? ''}`);
  return `npm install ${packages.join(' ')}`;
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'code' in thrown &&
  thrown.code === 'ERR_MODULE_NOT_FOUND' &&
  messageOf(thrown).includes('@opentelemetry/');
