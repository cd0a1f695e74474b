import type { FaultKind, FaultOptions } from './embedded-faults.ts';
import type { SabotageKind, SabotageOptions } from './embedded-sabotage.ts';

/** What a kind does, and how it is written: for `GET /` of the service and its page in the docs. */
export interface KindNote<Options> {
  meaning: string;
  example: Options;
}

/** What the service can do wrong in the open. */
export const faultNotes: Readonly<Record<FaultKind, KindNote<FaultOptions>>> = {
  rate_limited: {
    meaning: '429 before any work, with `Retry-After` if configured',
    example: { kind: 'rate_limited', share: 0.05, retryAfter: '2s' },
  },
  internal_error: { meaning: '500 `Internal server error`', example: { kind: 'internal_error', first: 3 } },
  server_error: {
    meaning: 'A 5xx of a gateway, by default 503',
    example: { kind: 'server_error', status: 502, every: 10 },
  },
  provider: {
    meaning: '`Chat provider error` with the status of the provider, by default 503',
    example: { kind: 'provider', status: 429, share: 0.02, retryAfter: { dateIn: '5s' } },
  },
  http: { meaning: 'Any other status; `body` is sent as it is', example: { kind: 'http', status: 404, on: 'create' } },
  reset: { meaning: 'The connection is reset before a response', example: { kind: 'reset', share: 0.01 } },
  close: { meaning: 'The connection is closed before a response', example: { kind: 'close', share: 0.01 } },
  cut: { meaning: 'The work is done; the reply breaks off half-way', example: { kind: 'cut', share: 0.01 } },
  hang: { meaning: 'No answer, until the client goes away', example: { kind: 'hang', every: 100 } },
  stall: {
    meaning: "The work is done; the reply comes after `for`, or with `until: 'windowEnd'` at the end of the window",
    example: { kind: 'stall', until: 'windowEnd', window: { from: '20s', to: '25s' } },
  },
  malformed: {
    meaning: 'The work is done; 200 with a body that is not JSON',
    example: { kind: 'malformed', share: 0.01 },
  },
  contract: {
    meaning: 'The work is done; 200 with a body that breaks the contract in the way of `breaks`',
    example: { kind: 'contract', breaks: 'other_session', share: 0.01 },
  },
  stream_cut: {
    meaning: 'A reply in pieces: the connection is reset after `afterEvents` of them, by default half',
    example: { kind: 'stream_cut', afterEvents: 3, share: 0.01 },
  },
  stream_end: {
    meaning: "It ends after `afterEvents` pieces, properly in HTTP, but without the API's end",
    example: { kind: 'stream_end', share: 0.01 },
  },
  stream_stall: {
    meaning: 'Silence for `for` after `afterEvents` pieces, then the rest',
    example: { kind: 'stream_stall', for: '5s', afterEvents: 3, share: 0.01 },
  },
  stream_error: {
    meaning:
      'An error event in place of the rest, after `afterEvents` pieces; `type` is `server`, `overloaded`, `rate_limit` or `quota`',
    example: { kind: 'stream_error', type: 'rate_limit', share: 0.01 },
  },
  stream_duplicate: {
    meaning: 'The piece after `afterEvents` is sent twice',
    example: { kind: 'stream_duplicate', afterEvents: 1, share: 0.01 },
  },
  stream_swap: {
    meaning: 'The two pieces after `afterEvents` come the other way round',
    example: { kind: 'stream_swap', afterEvents: 0, share: 0.01 },
  },
  stream_drop: {
    meaning: 'The piece after `afterEvents` is left out',
    example: { kind: 'stream_drop', afterEvents: 1, share: 0.01 },
  },
  stream_no_done: {
    meaning: 'Chat completions: `data: [DONE]` is missing at the end',
    example: { kind: 'stream_no_done', share: 0.01 },
  },
  stream_buffered: {
    meaning: 'All events come in one write at the end, as from a proxy that buffers',
    example: { kind: 'stream_buffered', share: 0.01 },
  },
};

/** What the service can do wrong in replies that look right. */
export const sabotageNotes: Readonly<Record<SabotageKind, KindNote<SabotageOptions>>> = {
  forget: { meaning: 'It answers as if there had been no earlier turns', example: { kind: 'forget', share: 0.01 } },
  swap: { meaning: "It gives another session's latest reply", example: { kind: 'swap', share: 0.01 } },
  drop: { meaning: 'It answers the turn but does not store it', example: { kind: 'drop', every: 20 } },
  store_twice: {
    meaning: 'It stores a turn twice when an earlier attempt failed',
    example: { kind: 'store_twice', share: 0.5 },
  },
  previous: {
    meaning: "It repeats the reply to the session's previous turn",
    example: { kind: 'previous', share: 0.01 },
  },
  placeholder: { meaning: 'It leaves a `{{name}}` in the reply', example: { kind: 'placeholder', share: 0.01 } },
  error_text: { meaning: '200, but the text is an error', example: { kind: 'error_text', share: 0.01 } },
  leak: { meaning: "Another session's code is in the reply too", example: { kind: 'leak', share: 0.01 } },
  foreign_values: {
    meaning: "Another session's variable values are in the reply too",
    example: { kind: 'foreign_values', share: 0.01 },
  },
  idle_amnesia: {
    meaning: 'After a session was idle for `idle`, it forgets everything said before',
    example: { kind: 'idle_amnesia', idle: '5m' },
  },
};
