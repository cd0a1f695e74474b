import type { ServerResponse } from 'node:http';
import { endWith, endWithPage, openGuarded, type LiveGuard } from './open-guarded.ts';

/** What is sent: a page with the policy that it is under, data for one, or nothing where that is known. */
export type PageAnswer =
  { status: number; page: { html: string; policy: string } } | { status: 200; data: unknown } | { status: 204 };

/** Gives what is asked for by a name and a query; `undefined`: there is no such thing. */
type Answering = (name: string, query: URLSearchParams) => Promise<PageAnswer | undefined>;

/** Serves pages that can be read, and nothing else. Rejects with what the system says where it cannot listen. */
export async function servePages(guard: LiveGuard, answer: Answering): Promise<{ port: number; close: () => void }> {
  const { server, port } = await openGuarded(guard, async ({ what, request, response }) => {
    if (request.method !== 'GET') return false;
    const [name = '', query = ''] = what.split('?', 2);
    send(response, await answer(name, new URLSearchParams(query)));
    return true;
  });
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port, close };
}

function send(response: ServerResponse, answer: PageAnswer | undefined): void {
  if (answer === undefined) return endWith(response, 404, 'Not found.\n');
  if ('page' in answer) return endWithPage(response, answer.status, answer.page);
  if ('data' in answer) return endWith(response, 200, JSON.stringify(answer.data), 'application/json; charset=utf-8');
  endWith(response, answer.status, '');
}
