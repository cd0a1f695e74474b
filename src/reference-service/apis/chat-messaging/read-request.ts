import { isObject } from '../../../base/is-object.ts';
import type { MessageRequest } from '../../../protocol/chat-messaging/api.ts';
import { readObject } from '../../exchange/admit.ts';
import { failures, type Delivery } from '../../http/delivery.ts';

/** The message in a body, or the refusal of a body without one. */
export function readMessage(text: string | undefined): Required<MessageRequest> | Delivery {
  if (text === undefined) return failures.tooLarge;
  const body = readObject(text);
  if (body === undefined) return failures.notJson;
  const { agentId, sessionId, message, variableValues = {} } = body;
  if (!isText(agentId) || !isText(sessionId) || !isText(message)) return failures.missingFields;
  return isObject(variableValues) ? { agentId, sessionId, message, variableValues } : failures.badValues;
}

/** The agent in the body of a creation, or the refusal of a body without one. */
export function readCreation(text: string | undefined): { agentId: string } | Delivery {
  if (text === undefined) return failures.tooLarge;
  const body = readObject(text);
  if (body === undefined) return failures.notJson;
  return isText(body['agentId']) ? { agentId: body['agentId'] } : failures.noAgentId;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
