/** HTTP versions of exchanges. */
export const httpVersions = ['HTTP/1.1', 'HTTP/2'] as const;
