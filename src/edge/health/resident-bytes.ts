/**
 * The memory of this process, in bytes; 0 while it has no file descriptor left, since the system reports it through a
 * file.
 */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && ['EMFILE', 'ENFILE'].includes(String(thrown.code))) return 0;
    throw thrown;
  }
}
