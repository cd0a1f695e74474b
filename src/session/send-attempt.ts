import { between, instant, later, ms, type Instant, type Ms } from '../base/time.ts';
import type { Poll } from '../protocol/protocol.ts';
import { listenOn } from './await-reply.ts';
import type { OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import type { SentAttempt } from './session-head.ts';
import type { SessionContext } from './session-context.ts';
import { readStatedWait } from './stated-wait.ts';

type Attempting = Pick<SessionContext, 'plan' | 'send' | 'clock' | 'stopSignal'>;

/** Makes one attempt: one exchange, or several if the reply has to be polled. */
export function sendAttempt(context: Attempting, planned: OperationPlan, sentAt: Instant): Promise<Exchange> {
  const send =
    planned.head === undefined ? context.send : planned.head.beginAttempt(context.send, sentOf(planned, sentAt));
  const { listener } = planned.reader;
  if (listener !== undefined) return listenOn({ ...context, send }, { ...planned, sentAt }, listener);
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
  const endsMs = ms(Math.min(context.plan.timeoutMs, leaveAfterMs));
  const failure = leaveAfterMs < context.plan.timeoutMs ? 'abandoned' : 'timed_out';
  let latest = first;
  let poll = latest.failure === undefined ? reader.poll?.(latest) : undefined;
  while (poll !== undefined) {
    const next = later(latest.endedAt, waitBefore(context, poll, latest));
    await pause(context, instant(Math.min(next, later(first.sentAt, endsMs))));
    const now = context.clock.now();
    const left = ms(endsMs - between(first.sentAt, now));
    if (left <= 0) return endedEarly(first, { endedAt: now, failure, latest });
    const answered = await context.send(poll.request, now, left);
    if (answered.failure === 'abandoned')
      return endedEarly(first, { endedAt: answered.endedAt, failure, latest: answered });
    latest = answered;
    poll =
      isLost(latest) && poll.isRepeatable === true
        ? poll
        : latest.failure === undefined
          ? reader.poll?.(latest)
          : undefined;
  }
  const { sentAt, firstByteAt, connectMs, reused } = first;
  const exchange = { ...latest, sentAt, firstByteAt, connectMs, reused };
  const isLate = between(sentAt, exchange.endedAt) > context.plan.timeoutMs && exchange.failure === undefined;
  return isLate ? endedEarly(first, { endedAt: exchange.endedAt, failure: 'timed_out', latest: first }) : exchange;
}

/** Reports whether an exchange failed in a way that the next one may not. */
const isLost = ({ failure }: Exchange): boolean => failure === 'connection_lost' || failure === 'connect_failed';

/** Returns the wait before a poll: its interval, or the wait that the response before it stated, if that is longer. */
function waitBefore({ clock }: Attempting, poll: Poll, latest: Exchange): Ms {
  if (latest.status < 400) return poll.afterMs;
  const stated = readStatedWait(latest, 'rate_limited', clock.wallNow());
  return stated.kind === 'wait' ? ms(Math.max(poll.afterMs, stated.delayMs)) : poll.afterMs;
}

interface Early {
  endedAt: Instant;
  failure: 'abandoned' | 'timed_out';
  /** The latest exchange, which may be a failed poll. */
  latest: Exchange;
}

const endedEarly = (first: Exchange, { endedAt, failure, latest }: Early): Exchange => ({
  ...first,
  endedAt,
  failure,
  body: '',
  detail: `${failure === 'abandoned' ? 'the user left before the answer arrived' : 'the answer did not arrive in time'}${pollFailure(latest)}`,
});

/** Describes the failure of the latest poll, as the end of a sentence. */
function pollFailure(latest: Exchange): string {
  if (isLost(latest)) return `; the latest poll failed: ${latest.detail}`;
  return latest.status >= 400 ? `; the latest poll was answered with status ${String(latest.status)}` : '';
}

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
