import { CookieJar as Jar, type Cookie } from 'tough-cookie';
import type { Route } from '../../../protocol/protocol.ts';
import type { CookieJar } from '../../../session/session-head.ts';
import { urlOf } from './request-head.ts';

/** Maximum per session (RFC 6265, section 6.1, requires at least 50 per domain): a service must not fill the generator's memory. */
const maxCookies = 180;
const maxBytes = 80_000;

export interface CookieJars {
  newJar(): CookieJar;
}

/** Creates a jar for every session. `keepSecret` is called with the value of every cookie. */
export function openCookieJars(baseUrl: URL, keepSecret: (secret: string) => void): CookieJars {
  const urls = new WeakMap<Route, string>();
  const urlFor = (route: Route): string => {
    let url = urls.get(route);
    if (url === undefined) urls.set(route, (url = urlOf(baseUrl, route).href));
    return url;
  };
  return { newJar: () => new SessionJar({ urlFor, keepSecret }) };
}

interface JarContext {
  /** Computed once per route. */
  urlFor: (route: Route) => string;
  keepSecret: (secret: string) => void;
}

class SessionJar implements CookieJar {
  readonly #context: JarContext;
  /** Services on this machine and in private networks have names without a public suffix. */
  readonly #jar = new Jar(undefined, { rejectPublicSuffixes: false, looseMode: true });
  /** By domain, path and name. */
  readonly #kept = new Map<string, { cookie: Cookie; bytes: number }>();
  #bytes = 0;

  constructor(context: JarContext) {
    this.#context = context;
  }

  valueFor(route: Route): string {
    // A protocol that keeps cookies itself has written them already.
    if (this.#kept.size === 0 || Object.keys(route.headers).some((name) => name.toLowerCase() === 'cookie')) return '';
    const value = this.#jar.getCookieStringSync(this.#context.urlFor(route));
    return isSendable(value) ? value : '';
  }

  take(route: Route, lines: readonly string[]): number {
    const url = this.#context.urlFor(route);
    let dropped = 0;
    for (const line of lines) {
      const cookie = isSendable(line) ? this.#jar.setCookieSync(line, url, { ignoreError: true }) : undefined;
      if (cookie !== undefined && !this.#keep(cookie, line.length)) dropped++;
    }
    return dropped;
  }

  /** Returns `false` if the jar is full. */
  #keep(cookie: Cookie, bytes: number): boolean {
    this.#context.keepSecret(cookie.value);
    const key = `${cookie.domain ?? ''};${cookie.path ?? ''};${cookie.key}`;
    this.#forget(key);
    if (hasEnded(cookie)) return true;
    const isFull = (): boolean => this.#kept.size >= maxCookies || this.#bytes + bytes > maxBytes;
    if (isFull()) this.#forgetEnded();
    if (isFull()) {
      this.#remove(cookie);
      return false;
    }
    this.#kept.set(key, { cookie, bytes });
    this.#bytes += bytes;
    return true;
  }

  #forgetEnded(): void {
    for (const [key, { cookie }] of this.#kept) {
      if (!hasEnded(cookie)) continue;
      this.#remove(cookie);
      this.#forget(key);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  /** Removes a cookie at once, because the store of the jar is in memory. */
  #remove({ domain, path, key }: Cookie): void {
    void this.#jar.store.removeCookie(domain, path, key);
  }
}

const hasEnded = (cookie: Cookie): boolean => cookie.TTL() <= 0;

/** Reports whether a cookie can be sent: a server must not inject text into requests. */
const isSendable = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
