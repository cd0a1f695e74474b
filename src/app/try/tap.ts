import { between, type Instant } from '../../base/time.ts';
import type { ContactEvent, ContactExchange, ContactPolls } from '../../conformance/contact/contact.ts';
import { withoutField } from '../../protocol/defined/header-fields.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  Dialogue,
  OwnSession,
  Poll,
  Received,
  ReplyStream,
  SocketExchange,
  StreamFormat,
  Verdict,
} from '../../protocol/protocol.ts';
import type { Send } from '../../session/send.ts';
import { framesSent, keptBody, requestOf, responseOf, type Tapping } from './exchange-record.ts';

/**
 * Records the exchanges of one conversation, which pass through unchanged.
 *
 *     protocol -> request -> [tap] -> send -> events -> [tap] -> protocol -> verdict -> [tap]
 */
export class Tap {
  readonly exchanges: ContactExchange[] = [];
  readonly #tapping: Tapping;
  #turn = 0;
  /** Send of the message of the turn, and the polls of its reply so far. */
  #sentAt: Instant | undefined;
  #polls: Pick<ContactPolls, 'count' | 'everyMs'> = { count: 0, everyMs: 0 };
  /** Secrets of sessions, as JSON. */
  readonly #secrets = new Set<string>();

  constructor(tapping: Tapping) {
    this.#tapping = tapping;
  }

  /** Wraps a protocol so that this tap observes every turn and verdict. */
  protocol(protocol: ChatProtocol): ChatProtocol {
    return {
      ...protocol,
      open: (target) => this.#api(protocol.open(target)),
    };
  }

  #api(api: ChatApi): ChatApi {
    const { creation, forSession } = api;
    return {
      creation: creation && {
        request: creation.request,
        read: (received) => this.#read(received, (each) => creation.read(each)),
        ...(creation.poll && { poll: (received: Received) => this.#hiding(() => creation.poll?.(received)) }),
      },
      converse: (sessionId) => this.#conversation(api.converse(sessionId)),
      ...(forSession && {
        forSession: (number, observer, own) => this.#api(forSession(number, observer, own && this.#noting(own))),
      }),
    };
  }

  send(send: Send): Send {
    return async (request, sentAt, leaveAfterMs) => {
      const events: ContactEvent[] = [];
      const frames: string[] = [];
      const tapped = this.#withTappedRoute(request, { sentAt, events, frames });
      const exchange = await send(tapped, sentAt, leaveAfterMs);
      const response = responseOf(this.#tapping, exchange, events);
      const { count } = this.#polls;
      const afterMs = between((this.#sentAt ??= sentAt), exchange.endedAt);
      const sent =
        request.socket !== undefined && exchange.reused
          ? framesSent(this.#tapping, request, frames)
          : requestOf(this.#tapping, request, frames);
      this.exchanges.push({
        turn: this.#turn,
        request: sent,
        response,
        reading: undefined,
        ...(count > 0 && { polled: { ...this.#polls, afterMs } }),
      });
      // A protocol keeps the cookies that it receives.
      if (exchange.headers !== undefined && request.route.wantedHeaders?.includes('set-cookie') !== true)
        exchange.headers = withoutField(exchange.headers, 'set-cookie');
      return exchange;
    };
  }

  #conversation(inner: Conversation): Conversation {
    return {
      get sessionId() {
        return inner.sessionId;
      },
      request: (turn) => {
        this.#turn = turn.turn ?? this.#turn + 1;
        this.#sentAt = undefined;
        this.#polls = { count: 0, everyMs: 0 };
        return this.#hiding(() => inner.request(turn));
      },
      read: (received) => this.#read(received, (each) => inner.read(each)),
      ...(inner.poll === undefined ? {} : { poll: (received: Received) => this.#counting(inner.poll?.(received)) }),
      ...(inner.listener && { listener: inner.listener }),
      replied: (reply) => inner.replied?.(reply),
      left: (text) => inner.left?.(text),
      end: () => inner.end?.(),
    };
  }

  #counting(poll: Poll | undefined): Poll | undefined {
    if (poll !== undefined) this.#polls = { count: this.#polls.count + 1, everyMs: poll.afterMs };
    return poll;
  }

  /** Makes a request, and redacts the secrets of replies that it sends back. */
  #hiding<Made>(make: () => Made): Made {
    const made = make();
    for (const { response } of this.exchanges) response.body = this.#hide(this.#tapping.redact(response.body));
    return made;
  }

  /** Notes the secrets of a session too: those that are too short for other texts are hidden where they are a whole value. */
  #noting(own: OwnSession): OwnSession {
    const keepSecret = (secret: string): void => {
      this.#secrets.add(JSON.stringify(secret));
      own.keepSecret(secret);
    };
    return { runId: own.runId, uuid: () => own.uuid(), keepSecret };
  }

  #hide(text: string): string {
    return [...this.#secrets].reduce((left, secret) => left.replaceAll(secret, '"[redacted]"'), text);
  }

  #read(received: Received, read: (received: Received) => Verdict): Verdict {
    const { redact } = this.#tapping;
    const verdict = read(received);
    const { outcome, detail, reply } = verdict;
    const latest = this.exchanges.at(-1);
    const text = reply?.text ?? received.stream?.text ?? '';
    const parts = [text, ...(reply?.toolCalls ?? []).map((call) => call.arguments)];
    // Events are redacted one by one: a secret split across events is visible only in the whole text.
    if (latest?.response.events !== undefined && parts.some((part) => containsSecret(part, redact)))
      latest.response.events = latest.response.events.map((event) => ({ ...event, data: '[redacted]' }));
    if (latest !== undefined)
      latest.reading = {
        outcome,
        detail: redact(detail),
        text: redact(text.slice(0, keptBody)),
        id: reply?.id === undefined ? undefined : redact(reply.id),
        usage: reply?.usage,
        calls: (reply?.toolCalls ?? []).map(({ name }) => redact(name)),
        lacksDone: reply?.lacksDone === true,
        notes: reply?.notes?.map(({ rule, detail: quoted }) => ({ rule, detail: redact(quoted) })),
      };
    return verdict;
  }

  #withTappedRoute(request: ChatRequest, reply: TappedReply): ChatRequest {
    const { route, socket } = request;
    const { stream, wantedHeaders = [] } = route;
    const tapped = stream && this.#withTappedEvents(stream, reply);
    return {
      ...request,
      ...(socket && { socket: this.#withTappedFrames(socket, reply) }),
      route: { ...route, stream: tapped, wantedHeaders: [...wantedHeaders, '*'] },
    };
  }

  #withTappedFrames({ greet, begin, ...socket }: SocketExchange, reply: TappedReply): SocketExchange {
    const tap = (dialogue: Dialogue): Dialogue => {
      reply.frames.push(...dialogue.frames);
      this.#tapEvents(dialogue.reader, reply);
      return dialogue;
    };
    return { ...socket, greet: () => tap(greet()), ...(begin && { begin: (opened) => tap(begin(opened)) }) };
  }

  #withTappedEvents(format: StreamFormat, reply: TappedReply): StreamFormat {
    return { ...format, begin: () => this.#tapEvents(format.begin(), reply) };
  }

  #tapEvents(inner: ReplyStream, { sentAt, events }: TappedReply): ReplyStream {
    const { clock } = this.#tapping;
    // Events of one read have one instant.
    let readAt: Instant | undefined;
    const now = (): Instant => {
      if (readAt === undefined) queueMicrotask(() => (readAt = undefined));
      return (readAt ??= clock.now());
    };
    // The reader of the reply relies on its own stream objects, so only `take` is replaced.
    const take = inner.take.bind(inner);
    inner.take = (event) => {
      // Redaction waits until the end, because it would delay later reads.
      events.push({ atMs: between(sentAt, event.arrivedAt ?? now()), type: event.type, data: event.text() });
      return take(event);
    };
    return inner;
  }
}

/** Reports whether a text contains a secret near its ends, where events are shown. */
function containsSecret(text: string, redact: Tapping['redact']): boolean {
  const ends = text.length <= 2 * keptBody ? [text] : [text.slice(0, keptBody), text.slice(-keptBody)];
  return ends.some((end) => redact(end) !== end);
}

interface TappedReply {
  sentAt: Instant;
  events: ContactEvent[];
  /** Frames sent over a socket. */
  frames: string[];
}
