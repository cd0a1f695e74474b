import type { ScenarioProblem } from '../scenario/compile-value.ts';
import type { ReadTls } from '../scenario/tls-options.ts';
import type { Origin, Surroundings } from './overlay.ts';
import { passphraseVariable, tlsFileNames, type TlsFiles } from './tls-files.ts';

interface Around extends Surroundings {
  origins: Readonly<Record<string, Origin>>;
}

/** Reads the files of `target.tls` by what is around; `undefined` where nothing there reads them. */
export function settleTlsFiles(
  tls: ReadTls,
  { readTlsFiles, environment, origins }: Around,
  problems: ScenarioProblem[],
): TlsFiles | undefined {
  if (tlsFileNames.every((name) => tls[name] === undefined)) return {};
  const passphrase = environment[passphraseVariable];
  const read = readTlsFiles?.({
    tls,
    isInScenario: (name) => origins[`target.tls.${name}`] === 'file',
    passphrase: passphrase === '' ? undefined : passphrase,
  });
  problems.push(...(read?.problems ?? []));
  return read?.files;
}
