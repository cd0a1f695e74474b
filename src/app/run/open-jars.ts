import type { CookieJars } from '../../edge/http/request/cookie-jars.ts';

/** The library behind them takes a while to load, and runs without cookies do not need it. */
export async function openJars(baseUrl: string | null, keepSecret: (secret: string) => void): Promise<CookieJars> {
  const { openCookieJars } = await import('../../edge/http/request/cookie-jars.ts');
  // The embedded service is one host, whichever: cookies see no more of it.
  return openCookieJars(new URL(baseUrl ?? 'http://127.0.0.1'), keepSecret);
}
