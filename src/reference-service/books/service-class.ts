import { classOfError } from '../../protocol/chat-messaging/api.ts';
import { classOfStatus } from '../../protocol/classify-whole.ts';
import { classNamesSeen, type ClassSeen } from '../../protocol/outcome.ts';

/** Ends of a connection instead of, or during, a reply. */
const connectionEnds = [
  /** Reset before a response. */
  'reset',
  /** Closed before a response. */
  'closed',
  /** Closed within the body. */
  'cut',
  /** Left without a reply until the client disconnected. */
  'hung',
  /** The client disconnected before the reply was written. */
  'abandoned',
] as const;
export type ConnectionEnd = (typeof connectionEnds)[number];

/**
 * Class of an exchange as the service observed it: an outcome class that a client may observe, or the connection's end.
 */
export type ServiceClass = ClassSeen<'stated' | 'shown'> | ConnectionEnd;

/** All classes of the service, in the order of its statistics. */
export const serviceClasses: readonly ServiceClass[] = [...classNamesSeen('stated', 'shown'), ...connectionEnds];

/** Returns the class of a reply other than 200, by its status and the text in its `error` field, if any. */
export function classOfFailure(status: number, error: string | undefined): ServiceClass {
  return classOfError(status, error) ?? classOfStatus(status);
}
