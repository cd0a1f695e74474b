import type { AttemptClass } from '../protocol/outcome.ts';
import type { SessionOrigin, Unfinished } from './observer.ts';
import type { Exchange } from './send.ts';

interface Ended {
  outcome: AttemptClass;
  exchange: Pick<Exchange, 'status'>;
}

/** Reports whether a service refused a request with status 409 or 423, as chats do while an earlier message is unanswered. */
export function isConflict({ outcome, exchange }: Ended): boolean {
  return conflicts.includes(exchange.status) && outcome === 'http_other';
}

const conflicts = [409, 423];

/** Statuses of gateways whose service did not answer, or did not answer in time: it may still work on the request. */
const gatewayStatuses: ReadonlyMap<number, Unfinished> = new Map([
  [502, 'ended at the gateway'],
  [504, 'timed out'],
  [524, 'timed out'],
]);

/** Notes the end of an attempt of a turn: work that nobody awaits, or an ok reply, after which there is none. */
export function noteEnd(session: SessionOrigin, outcome: AttemptClass, status: number): void {
  if (outcome === 'ok') {
    if (session.unfinished !== undefined) session.unfinished = undefined;
  } else if (outcome === 'abandoned') session.unfinished = 'was abandoned';
  else if (outcome === 'timed_out') session.unfinished = 'timed out';
  else if (outcome === 'connection_lost') session.unfinished = 'lost its connection';
  else session.unfinished = gatewayStatuses.get(status) ?? session.unfinished;
}

/** Returns the detail of an attempt; that of a conflict names the end of the attempt that may explain it. */
export function explainConflict(detail: string, ended: Ended, unfinished: Unfinished | undefined): string {
  if (unfinished === undefined || !isConflict(ended)) return detail;
  return `after an attempt of this session that ${unfinished}: ${detail}`;
}
