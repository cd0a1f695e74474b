import { RecentMap } from '../../base/recent-map.ts';
import type { KeptAt } from '../model-api/make-reply.ts';
import type { Problem } from '../model-api/model-api.ts';
import type { InputItem } from './read-call.ts';

/** Half of them are always kept. */
const maxEntries = 20_000;

/** The responses and conversations that later requests of the Responses API continue. */
export class ResponseStore {
  readonly #kept = new RecentMap<string, readonly InputItem[]>(maxEntries);

  /** Returns the items that a request continues. */
  find({ responseId, conversationId }: KeptAt): readonly InputItem[] | Problem {
    const id = responseId ?? conversationId;
    if (id === undefined) return [];
    return (
      this.#kept.get(id) ??
      (responseId === undefined
        ? { status: 404, message: `Conversation with id '${id}' not found.`, param: 'conversation' }
        : {
            status: 400,
            message: `Previous response with id '${id}' not found.`,
            param: 'previous_response_id',
            code: 'previous_response_not_found',
          })
    );
  }

  /** Keeps the items up to a response, instructions omitted: a request that continues it has its own. */
  keep(id: string, { isStored, conversationId }: KeptAt, items: readonly InputItem[]): void {
    const kept = items.filter(({ role }) => role !== 'system');
    if (isStored) this.#kept.set(id, kept);
    if (conversationId !== undefined) this.#kept.set(conversationId, kept);
  }

  create(id: string): void {
    this.#kept.set(id, []);
  }
}
