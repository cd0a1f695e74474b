/** The memory that this process holds, in bytes; 0 while it has no file descriptor left: the system tells this through a file. */
export function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && ['EMFILE', 'ENFILE'].includes(String(thrown.code))) return 0;
    throw thrown;
  }
}
