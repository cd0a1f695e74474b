import { ms, type Ms } from '../../base/time.ts';
import type { HeaderFields, ProtocolTarget, Route } from '../protocol.ts';
import type { PollDefinition } from './definition.ts';
import { finderOf } from './find.ts';
import { isSuccess } from './judge-response.ts';
import { Routes } from './routes.ts';

/** Asks for answers that take their time, for all conversations with a target. Throws `AuthorError`. */
export interface Poller {
  /** Whether a response says that the answer is still being made. */
  isPending(status: number, body: unknown): boolean;
  /** Where to ask next, or what there is instead of a URL of this service. */
  pathIn(body: unknown, headers: HeaderFields | undefined): { path: string } | { missing: string };
  readonly everyMs: Ms;
  readonly routes: Routes;
}

export function pollerOf(
  definition: PollDefinition,
  { baseUrl }: Pick<ProtocolTarget, 'baseUrl'>,
  wantedHeaders: Route['wantedHeaders'],
): Poller {
  const { status: pendingStatus = 202, every = 500 } = definition;
  const url = finderOf('poll.url', definition.url);
  const done = definition.done === undefined ? undefined : finderOf('poll.done', definition.done);
  return {
    everyMs: ms(every),
    routes: new Routes({ operation: 'message', method: 'GET', wantedHeaders }),
    isPending: (status, body) =>
      status === pendingStatus || (isSuccess(status) && done !== undefined && done.find(body) !== true),
    pathIn: (body, headers) => {
      const found = url.find(body, { headers });
      if (typeof found !== 'string' || found === '') return { missing: url.word(body, found) };
      const path = statusPath(baseUrl, found);
      return path === undefined ? { missing: ': it leads elsewhere than below the base URL' } : { path };
    },
  };
}

/** The path below the base URL, with its query, of a URL or a path that a service gave; `undefined` where it leads elsewhere. */
export function statusPath(baseUrl: string | null, given: string): string | undefined {
  const base = new URL(baseUrl ?? 'http://embedded');
  const prefix = base.pathname.replace(/\/+$/, '');
  const from = new URL(`${prefix}/`, base).href;
  // URLs of the web read a backslash as a slash.
  const isWhole = /^([a-z][a-z0-9+.-]*:|[\\/]{2})/i.test(given);
  if (!URL.canParse(given, from)) return undefined;
  const url = new URL(given, from);
  if (isWhole && baseUrl !== null && url.origin !== base.origin) return undefined;
  const path = url.pathname + url.search;
  if (path.startsWith(`${prefix}/`)) return path.slice(prefix.length);
  // A path alone may be told as it is below the base URL.
  return isWhole ? undefined : path;
}
