/** The parsed body of a 200, as far as the API description fixes it; everything beyond is additive. */
export interface Envelope {
  success?: unknown;
  data?: unknown;
  error?: unknown;
}

const texts = ['response', 'chatId', 'sessionId', 'createdAt', 'updatedAt'] as const;

/**
 * The first rule of the API description (sections 2.2, 2.4 and 4.1) that a reply to a message breaks, in words;
 * '' when it keeps the contract.
 */
export function brokenRule(envelope: Envelope, sessionId: string): string {
  if (envelope.success !== true) return `success is ${show(envelope.success)}, not true`;
  const data = envelope.data as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof data !== 'object' || data === null) return `data is ${show(data)}, not an object`;
  for (const field of texts)
    if (typeof data[field] !== 'string') return `data.${field} is ${show(data[field])}, not a string`;
  if (data['sessionId'] !== sessionId) return 'data.sessionId is not the session id that was sent';
  if (data['isSession'] !== true) return `data.isSession is ${show(data['isSession'])}, not true`;
  return '';
}

const show = (value: unknown): string =>
  value === undefined ? 'missing' : value === null ? 'null' : `a ${typeof value}`;
