import { between, instant, later, ms, type Instant } from '../base/time.ts';
import { quoteText } from '../protocol/error-message.ts';
import type { Listener } from '../protocol/protocol.ts';
import type { OperationPlan } from './operation.ts';
import type { Exchange } from './send.ts';
import type { SessionContext } from './session-context.ts';

type Waiting = Pick<SessionContext, 'send' | 'clock' | 'stopSignal'>;

/**
 * Makes one attempt whose reply arrives on the stream of its session: the message, its acknowledgement, and the events.
 * A stream that broke before is opened again.
 */
export async function listenOn(
  context: Waiting & Pick<SessionContext, 'plan'>,
  planned: OperationPlan & { sentAt: Instant },
  listener: Listener,
): Promise<Exchange> {
  const { sentAt, request, leaveAfterMs = ms(Infinity) } = planned;
  const { timeoutMs } = context.plan;
  const due = later(sentAt, ms(Math.min(timeoutMs, leaveAfterMs)));
  const failure = leaveAfterMs < timeoutMs ? 'abandoned' : 'timed_out';
  const isReopened = !listener.isOpen && listener.hasBeenOpen;
  const unopened = await openStream(context, listener, due);
  if (unopened !== undefined) return { ...unopened, sentAt };
  listener.begin();
  const now = context.clock.now();
  const left = ms(between(now, due));
  if (left <= 0) return endOf(noAnswer(sentAt, now), failure, 'the stream of the session was not open in time');
  const first = await context.send(request, now, left);
  const acknowledgement = { ...first, sentAt, ...(isReopened && { isReopened }) };
  if (first.failure === 'abandoned') return { ...acknowledgement, failure };
  if (first.failure !== undefined) return acknowledgement;
  listener.acknowledged(first);
  const endedAt = await when(context, listener, { due, holds: () => listener.isOver || listener.end !== undefined });
  // The service has the message: a retry may repeat work, whatever the class of the stream's end.
  const isLost = listener.isLate && listener.end !== undefined;
  const ended = { ...acknowledgement, endedAt, ...(isLost && { hasSentFrames: true }) };
  if (listener.isOver) return ended;
  if (context.stopSignal.reached('cut'))
    return endOf(ended, 'aborted', 'the run was cut before the reply was complete');
  if (listener.end === undefined) {
    if (listener.isOpening) listener.giveUp();
    return endOf(ended, failure, `${overdue}${listener.isLate ? `, ${unanswered}` : ''}`);
  }
  const { failure: lost, detail, closeCode, body } = listener.end;
  if (lost === undefined && body !== '') return endOf(ended, 'malformed', `${notEvents}${quoteText(body)}`);
  // The service has the message: a retry may repeat work, whatever the class of the code.
  if (lost === undefined && closeCode !== undefined) return { ...ended, closeCode, detail, hasSentFrames: true };
  const why = detail === '' ? 'the stream of the session ended before the reply was complete' : detail;
  return endOf(ended, lost ?? 'connection_lost', why);
}

const overdue = 'the reply did not arrive in time on the stream of the session';
const unanswered = 'which had not been answered when the message was sent';

const notEvents =
  'the stream of the session (reply.then.listen.connect) was answered with a body that is not a stream of events';

/** Maximum wait of a message for its stream: some services send the head of the response only with the first event. */
const maxHeadWaitMs = 1000;

/** Opens the stream of a session, unless it is open or late. Returns the failed exchange if it cannot be opened. */
export async function openStream(context: Waiting, listener: Listener, due: Instant): Promise<Exchange | undefined> {
  const isOpen = (): boolean => listener.isOpen;
  if (isOpen() || listener.isOpening) return undefined;
  const sentAt = context.clock.now();
  let failed: Exchange | undefined;
  const request = listener.open();
  void context.send(request, sentAt).then((exchange) => {
    failed = exchange;
    listener.closed(exchange, request);
  });
  const waitMs = ms(Math.min(maxHeadWaitMs, between(sentAt, due) / 2));
  const until = listener.mayBeLate ? later(sentAt, waitMs) : due;
  const endedAt = await when(context, listener, { due: until, holds: () => isOpen() || listener.end !== undefined });
  if (isOpen()) return undefined;
  if (failed !== undefined) return failed;
  if (listener.mayBeLate) return undefined;
  listener.giveUp();
  return endOf(noAnswer(sentAt, endedAt), 'timed_out', 'the stream of the session was not answered in time');
}

const endOf = (exchange: Exchange, failure: NonNullable<Exchange['failure']>, detail: string): Exchange => ({
  ...exchange,
  failure,
  detail,
  body: '',
});

const noAnswer = (sentAt: Instant, endedAt: Instant): Exchange => ({
  sentAt,
  firstByteAt: undefined,
  endedAt,
  connectMs: undefined,
  reused: false,
  retryAfter: undefined,
  failure: undefined,
  detail: '',
  status: 0,
  body: '',
  isUtf8: true,
});

/** Waits until a condition of a stream holds, an instant, or the cut of the run. Resolves with the instant of that. */
function when(
  { clock, stopSignal }: Omit<Waiting, 'send'>,
  listener: Listener,
  { due, holds }: { due: Instant; holds: () => boolean },
): Promise<Instant> {
  return new Promise((resolve) => {
    if (holds()) return resolve(clock.now());
    let cancelCut = (): void => undefined;
    const end = (at: Instant): void => {
      cancelTimer();
      cancelCut();
      listener.changed = () => undefined;
      resolve(at);
    };
    const cancelTimer = clock.wakeAt(instant(due), () => end(clock.now()));
    cancelCut = stopSignal.when('cut', () => end(clock.now()));
    listener.changed = () => {
      if (holds()) end(clock.readAt());
    };
  });
}
