/** The versions of HTTP that exchanges go over. */
export const httpVersions = ['HTTP/1.1', 'HTTP/2'] as const;
