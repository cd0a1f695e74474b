import type { ServerResponse } from 'node:http';
import { endWith, endWithPage, openGuarded, type LiveGuard } from './open-guarded.ts';

/** A response: a page with its content security policy, data for one, or nothing if the page has the data already. */
export type PageAnswer =
  { status: number; page: { html: string; policy: string } } | { status: 200; data: unknown } | { status: 204 };

/** Returns the resource with this name and query; `undefined`: there is none. */
type Answering = (name: string, query: URLSearchParams) => Promise<PageAnswer | undefined>;

/** Serves read-only pages. Rejects with the error of the system if it cannot listen. */
export async function servePages(guard: LiveGuard, answer: Answering): Promise<{ port: number; close: () => void }> {
  const { server, port } = await openGuarded(guard, async ({ resource, request, response }) => {
    if (request.method !== 'GET') return false;
    const [name = '', query = ''] = resource.split('?', 2);
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
