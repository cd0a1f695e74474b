import { resolve } from 'node:path';
import { parseJson } from '../../base/json.ts';
import type { Surroundings } from '../../plan/overlay.ts';
import { readTextSync } from '../open-file.ts';
import { tlsFilesReader } from './read-tls-files.ts';

/** Returns the readers of files that a scenario, its flags and its environment name; paths are relative to these folders. */
export function scenarioReaders(folders: {
  ofScenario: string;
  ofCommand: string;
}): Required<Pick<Surroundings, 'folder' | 'readTlsFiles' | 'readPrices'>> {
  return {
    folder: resolve(folders.ofScenario),
    readTlsFiles: tlsFilesReader(folders),
    readPrices: (file, isInScenario) =>
      parseJson(readTextSync(resolve(isInScenario ? folders.ofScenario : folders.ofCommand, file))),
  };
}
