/** How documents can be printed. */
export const formats = ['terminal', 'html', 'markdown', 'junit', 'csv', 'hlog', 'json'] as const;
export type Format = (typeof formats)[number];

/** The format for a file extension. */
export const extensions: Readonly<Partial<Record<string, Format>>> = {
  '.txt': 'terminal',
  '.html': 'html',
  '.md': 'markdown',
  '.xml': 'junit',
  '.csv': 'csv',
  '.hlog': 'hlog',
  '.json': 'json',
};

/** Formats of which several documents cannot be one. */
export const singleFormats: readonly Format[] = ['junit', 'csv', 'hlog', 'json'];
