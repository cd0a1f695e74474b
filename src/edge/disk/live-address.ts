import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { folderFile } from './find-results.ts';
import { readTextSync } from '../open-file.ts';

/** Beside a journal, hidden: where the page of its run is served. */
const fileFor = (journal: string): string => join(dirname(journal), `.${basename(journal)}.live`);

/** What a live page on this machine is at, and nothing that a browser would do something else with. */
const addressForm = /^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}\/[\w-]{32}\/$/;

/** Keeps the address of a live page, a secret, for those who may read what its owner reads. Throws what the system says. */
export async function keepLiveAddress(journal: string, address: string): Promise<void> {
  await writeFile(fileFor(journal), address, { mode: 0o600, flag: 'wx' });
}

/** Throws what the system says. */
export async function forgetLiveAddress(journal: string): Promise<void> {
  await rm(fileFor(journal), { force: true });
}

/** The address that is kept beside a journal; `null`: none, or none of this machine. */
export function readLiveAddress(journal: string): string | null {
  const kept = fileFor(journal);
  if (folderFile(dirname(kept), basename(kept)).refused !== undefined) return null;
  try {
    const address = readTextSync(kept);
    return addressForm.test(address) ? address : null;
  } catch {
    // It has gone meanwhile: the run has ended.
    return null;
  }
}
