import type { StreamEvent } from './protocol.ts';

/** Reports whether an event that is not JSON only keeps a stream open: it is blank, or its type states it. */
export function isKeepAlive(event: StreamEvent): boolean {
  if (event.isHalf === true) return false;
  return isKeepAliveType(event.type) || (event.end - event.start <= maxBlank && event.text().trim() === '');
}

/** Reports whether events of a type only keep a stream open. */
export function isKeepAliveType(type: string): boolean {
  return type !== '' && keepAliveType.test(type);
}

const keepAliveType = /^(?:ping|heart_?beat|keep[-_]?alive)$/i;
const maxBlank = 16;
