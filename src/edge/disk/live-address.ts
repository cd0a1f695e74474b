import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { folderFile } from './find-results.ts';
import { readTextSync } from '../open-file.ts';

/** Returns the path of the hidden file next to a journal, with the address of the page of its run. */
const fileFor = (journal: string): string => join(dirname(journal), `.${basename(journal)}.live`);

/** Form of the address of a live page on this machine: nothing else may reach a browser. */
const addressForm = /^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}\/[\w-]{32}\/$/;

/** Stores the secret address of a live page, readable only for its owner. Throws system errors. */
export async function keepLiveAddress(journal: string, address: string): Promise<void> {
  await writeFile(fileFor(journal), address, { mode: 0o600, flag: 'wx' });
}

/** Removes the stored address. Throws system errors. */
export async function forgetLiveAddress(journal: string): Promise<void> {
  await rm(fileFor(journal), { force: true });
}

/** Reads the address stored next to a journal; `null` if it has no address on this machine. */
export function readLiveAddress(journal: string): string | null {
  const kept = fileFor(journal);
  if (folderFile(dirname(kept), basename(kept)).refused !== undefined) return null;
  try {
    const address = readTextSync(kept);
    return addressForm.test(address) ? address : null;
  } catch {
    // The run has ended meanwhile.
    return null;
  }
}
