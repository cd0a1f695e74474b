import { errorTexts } from '../../protocol/chat-messaging/api.ts';
import { classNamesSeen, type ClassSeen } from '../../protocol/outcome.ts';

/** What the service did to the connection instead of, or during, an answer. */
const connectionEnds = [
  /** Reset before a response. */
  'reset',
  /** Closed before a response. */
  'closed',
  /** Closed within the body. */
  'cut',
  /** Left without an answer until the client went away. */
  'hung',
  /** The client went away before the reply was written. */
  'abandoned',
] as const;
export type ConnectionEnd = (typeof connectionEnds)[number];

/** What became of an exchange as the service saw it: an outcome class that a client may see, or the connection's end. */
export type ServiceClass = ClassSeen<'stated' | 'shown'> | ConnectionEnd;

/** Every class that the service counts, in the order of its books. */
export const serviceClasses: readonly ServiceClass[] = [...classNamesSeen('stated', 'shown'), ...connectionEnds];

const byErrorText = new Map<string, readonly [status: number, outcome: ServiceClass]>([
  [errorTexts.missingFields, [400, 'missing_fields']],
  [errorTexts.chatDisabled, [400, 'chat_disabled']],
  [errorTexts.agentNotFound, [404, 'agent_not_found']],
  [errorTexts.internal, [500, 'internal_error']],
]);

/** The class of an answer other than 200, by its status and the text in its `error` field (`undefined`: it has none). */
export function classOfFailure(status: number, error: string | undefined): ServiceClass {
  if (error === errorTexts.provider) return providerClass(status);
  const named = error === undefined ? undefined : byErrorText.get(error);
  return named?.[0] === status ? named[1] : classOfStatus(status);
}

function providerClass(status: number): ServiceClass {
  if (status === 429) return 'provider_rate_limited';
  return status >= 500 ? 'provider_error' : 'provider_rejected';
}

/** The class of an answer by its status alone. */
export function classOfStatus(status: number): ServiceClass {
  const named = {
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    429: 'rate_limited',
  } as const;
  if (isKey(named, status)) return named[status];
  return status >= 500 ? 'server_error' : 'http_other';
}

const isKey = <Table extends object>(table: Table, key: PropertyKey): key is keyof Table => Object.hasOwn(table, key);
