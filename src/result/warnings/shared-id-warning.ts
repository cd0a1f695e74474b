import type { Ms } from '../../base/time.ts';
import type { Warning } from '../sections/warning.ts';

/** The warning that two live sessions were given one id, and when first. */
export function sharedIdWarning(atMs: Ms): Warning {
  return {
    code: 'session_id_shared',
    message: `The service gave one session id to two live sessions, ${(atMs / 1000).toFixed(1)} s after the start for the first time: their turns form one conversation.`,
    remedy:
      'See target.createSession.sessionIdFrom, or createSession.sessionId of defineProtocol: it may name a field that is the same in every reply.',
  };
}
