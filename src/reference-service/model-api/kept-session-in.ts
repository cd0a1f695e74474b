import { isObject } from '../../base/is-object.ts';
import { readObject } from '../exchange/read-body.ts';
import { readConversationId, readResponseId } from './kept-ids.ts';

/** The session that the body of a request for a response continues; `undefined`: none. */
export function keptSessionIn(body: string | undefined): string | undefined {
  const { previous_response_id: previous, conversation } = readObject(body ?? '') ?? {};
  const id = isObject(conversation) ? conversation['id'] : conversation;
  if (typeof id === 'string') return readConversationId(id);
  return typeof previous === 'string' ? readResponseId(previous)?.sessionId : undefined;
}
