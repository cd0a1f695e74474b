import { isObject } from '../../base/is-object.ts';
import { pickWaits } from '../../base/wait-fields.ts';
import { refused } from '../classify-whole.ts';
import type { HeaderFields, Verdict } from '../protocol.ts';
import { errorIn, readError, refuseError, refuseResponse } from './api-error.ts';
import type { Fields } from './read-reply.ts';

/** An error frame of a model API over WebSocket. */
export interface FrameError {
  readonly verdict: Verdict;
  readonly code: string;
  /** Id of the frame of the client that caused it; `undefined`: not stated. */
  readonly cause: string | undefined;
  /** True if the service ends the socket: nothing may be sent over it any more. */
  readonly endsSocket: boolean;
  readonly retryAfter: string | undefined;
  /** Other fields about its wait; `undefined`: there are none. */
  readonly waits: HeaderFields | undefined;
}

/** Codes with which a service announces that a socket has reached its maximum age. */
const limits = ['websocket_connection_limit_reached', 'session_expired'];

/**
 * Returns the error in a frame, if it is one: `{ type: 'error', status?, error: { type, code, message } }`. An attempt that
 * met the maximum age of its socket was not performed: it is lost with the connection.
 */
export function frameError(frame: Fields): FrameError | undefined {
  if (frame['type'] !== 'error') return undefined;
  const error = errorIn(frame) ?? readError(frame);
  const { status, headers } = frame;
  const isLimit = limits.includes(error.code);
  return {
    verdict: isLimit
      ? refused('connection_lost', `the socket has reached its maximum age: ${error.code}`)
      : verdictOn(),
    code: error.code,
    cause: textIn(frame['error'], 'event_id'),
    endsSocket: isLimit,
    retryAfter: textIn(headers, 'retry-after'),
    waits: isObject(headers) ? pickWaits(headers) : undefined,
  };

  function verdictOn(): Verdict {
    const stated = typeof status === 'number' && status >= 400 && status <= 599 ? status : undefined;
    const refusal = stated === undefined ? undefined : refuseResponse(stated, { error }, '');
    return refusal ?? refuseError(error, 'an error frame');
  }
}

function textIn(fields: unknown, name: string): string | undefined {
  const value = isObject(fields) ? fields[name] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
