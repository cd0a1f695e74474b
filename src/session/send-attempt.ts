import { between, instant, later, ms, type Instant } from '../base/time.ts';
import type { OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import type { SentAttempt } from './session-head.ts';
import type { SessionContext } from './session-context.ts';

type Attempting = Pick<SessionContext, 'plan' | 'send' | 'clock' | 'stopSignal'>;

/** Makes one attempt: one exchange, or several if the reply has to be polled. */
export function sendAttempt(context: Attempting, planned: OperationPlan, sentAt: Instant): Promise<Exchange> {
  const send =
    planned.head === undefined ? context.send : planned.head.beginAttempt(context.send, sentOf(planned, sentAt));
  const sent = send(planned.request, sentAt, planned.leaveAfterMs);
  return planned.reader.poll === undefined ? sent : pollOn({ ...context, send }, planned, sent);
}

const sentOf = (
  { session, turn, message, firstSentAt }: OperationPlan,
  sentAt: Instant,
): Omit<SentAttempt, 'attempt'> => ({
  session: session.number,
  policy: session.policy,
  turn,
  message,
  sentAt,
  countedFrom: firstSentAt,
});

/** Polls until the reply is complete; `timeout` limits all exchanges together. */
async function pollOn(context: Attempting, planned: OperationPlan, sent: Promise<Exchange>): Promise<Exchange> {
  const first = await sent;
  const { leaveAfterMs = ms(Infinity), reader } = planned;
  let latest = first;
  let poll = latest.failure === undefined ? reader.poll?.(latest) : undefined;
  while (poll !== undefined) {
    const next = later(latest.endedAt, poll.afterMs);
    const ends = ms(Math.min(context.plan.timeoutMs, leaveAfterMs));
    await pause(context, instant(Math.min(next, later(first.sentAt, ends))));
    const now = context.clock.now();
    const left = ms(ends - between(first.sentAt, now));
    if (left <= 0) return endedEarly(first, now, leaveAfterMs < context.plan.timeoutMs ? 'abandoned' : 'timed_out');
    latest = await context.send(poll.request, now, leaveAfterMs === Infinity ? undefined : left);
    poll = latest.failure === undefined ? reader.poll?.(latest) : undefined;
  }
  const { sentAt, firstByteAt, connectMs, reused } = first;
  const exchange = { ...latest, sentAt, firstByteAt, connectMs, reused };
  const isLate = between(sentAt, exchange.endedAt) > context.plan.timeoutMs && exchange.failure === undefined;
  return isLate ? endedEarly(first, exchange.endedAt, 'timed_out') : exchange;
}

const endedEarly = (first: Exchange, endedAt: Instant, failure: 'abandoned' | 'timed_out'): Exchange => ({
  ...first,
  endedAt,
  failure,
  body: '',
  detail: failure === 'abandoned' ? 'the user left before the answer arrived' : 'the answer did not arrive in time',
});

/** Waits until an instant, or until the run is cut. */
function pause({ clock, stopSignal }: Pick<Attempting, 'clock' | 'stopSignal'>, until: Instant): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancelTimer();
      cancelCut();
      resolve();
    };
    let cancelCut = (): void => undefined;
    const cancelTimer = clock.wakeAt(until, end);
    cancelCut = stopSignal.when('cut', end);
  });
}
