import { open } from 'node:fs/promises';

/** Makes the names in a folder survive a power cut. Where a folder cannot be synced, the system does so. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync();
  } catch (thrown) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(String((thrown as NodeJS.ErrnoException).code)))
      throw thrown;
  } finally {
    await folder?.close();
  }
}
