import { ms, type Ms } from '../../base/time.ts';
import type { HeaderFields, ProtocolTarget, Route } from '../protocol.ts';
import type { PollDefinition } from './definition.ts';
import { finderOf } from './author-error.ts';
import { isReplyStatus } from '../classify-whole.ts';

/** Default wait before each poll. */
export const defaultEveryMs = 500;

/** Polls for delayed answers, for all conversations with a target. Throws `AuthorError`. */
export interface Poller {
  /** Reports whether a response has no answer yet. */
  isPending(status: number, body: unknown): boolean;
  /** Returns the path of the next poll, or describes the value found instead. */
  pathIn(body: unknown, headers: HeaderFields | undefined): { path: string } | { missing: string };
  readonly everyMs: Ms;
  readonly routes: Routes;
}

export function pollerOf(
  definition: PollDefinition,
  { baseUrl }: Pick<ProtocolTarget, 'baseUrl'>,
  wantedHeaders: Route['wantedHeaders'],
): Poller {
  const { status: pendingStatus = 202, every = defaultEveryMs } = definition;
  const url = finderOf('poll.url', definition.url);
  const done = definition.done === undefined ? undefined : finderOf('poll.done', definition.done);
  return {
    everyMs: ms(every),
    routes: new Routes({ operation: 'message', method: 'GET', wantedHeaders }),
    isPending: (status, body) =>
      status === pendingStatus || (isReplyStatus(status) && done !== undefined && done.find(body) !== true),
    pathIn: (body, headers) => {
      const found = url.find(body, { headers });
      if (typeof found !== 'string' || found === '') return { missing: url.describe(body, found) };
      const path = statusPath(baseUrl, found);
      return path === undefined ? { missing: ': it is not below the base URL' } : { path };
    },
  };
}

/** Returns the path below the base URL, with its query, of a service's URL or path; `undefined` if it leads elsewhere. */
export function statusPath(baseUrl: string | null, given: string): string | undefined {
  const base = new URL(baseUrl ?? 'http://embedded');
  const prefix = base.pathname.replace(/\/+$/, '');
  const from = new URL(`${prefix}/`, base).href;
  // The URL parser treats a backslash as a slash.
  const isWhole = /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(given);
  if (!URL.canParse(given, from)) return undefined;
  const url = new URL(given, from);
  if (isWhole && baseUrl !== null && url.origin !== base.origin) return undefined;
  const path = url.pathname + url.search;
  if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
  // A path may also be relative to the base URL.
  return isWhole ? undefined : path;
}

/** Creates routes. Requests that differ only in their body share one: a sender prepares each once. */
export class Routes {
  readonly #fixed: Omit<Route, 'path' | 'headers'>;
  #latest: Route | undefined;

  constructor(fixed: Omit<Route, 'path' | 'headers'>) {
    this.#fixed = fixed;
  }

  /** Returns the route of a request, shared if it has not changed; `own`: route of the conversation's previous request. */
  to(path: string, headers: HeaderFields, own: Route | undefined): Route {
    const known = [own, this.#latest].find((route) => route?.path === path && isSame(route.headers, headers));
    this.#latest = known ?? { ...this.#fixed, path, headers };
    return this.#latest;
  }
}

function isSame(some: HeaderFields, others: HeaderFields): boolean {
  const names = Object.keys(some);
  return (
    some === others ||
    (names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]))
  );
}
