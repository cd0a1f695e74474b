import type { Answer, CheckRequest, KeyUsed, Post, ReceivedEvent } from '../../conformance/exchanges.ts';
import type { Dialogue, SocketExchange } from '../../protocol/protocol.ts';
import { credentialOf, type PosterOptions } from './open-poster.ts';
import { openSender } from './open-sender.ts';
import type { Sender } from './sender/sender-options.ts';

/** Sends single exchanges over the sockets of sessions. */
interface SocketPoster {
  post: Post;
  /** Closes all sockets. */
  close: () => Promise<void>;
}

/**
 * Sends single exchanges over the sockets of sessions, which stay open between them, and returns the values that rules
 * check. For a check, not for load. The transport must have been loaded.
 */
export function openSocketPoster(options: PosterOptions): SocketPoster {
  const { clock } = options;
  const senders = new Map<KeyUsed, Sender>();
  const senderOf = (key: KeyUsed): Sender => {
    const sender = senders.get(key) ?? openWith(options, key);
    senders.set(key, sender);
    return sender;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...senders.values()].map((sender) => sender.close()));
  };
  const post: Post = async ({ leavesEarly = false, key, ...asked }) => {
    const sentAtMs = clock.wallNow();
    // A user who leaves closes the socket.
    const leave = (): void => asked.socket?.line.link?.close();
    const answer = await postOver(senderOf(key), asked, leavesEarly ? () => queueMicrotask(leave) : () => undefined);
    return { ...answer, sentAtMs, endedAtMs: clock.wallNow() };
  };
  return { post, close };

  async function postOver(
    sender: Sender,
    asked: Omit<CheckRequest, 'key' | 'leavesEarly'>,
    received: () => void,
  ): Promise<Omit<Answer, 'sentAtMs' | 'endedAtMs'>> {
    const events: ReceivedEvent[] = [];
    const { socket, route } = asked;
    const send = options.head?.(route.operation, sender.send) ?? sender.send;
    const sent = socket === undefined ? asked : { ...asked, socket: recordFrames(socket, events, received) };
    const { failure, detail, closeCode, isReopened, ...exchange } = await send(sent, clock.now());
    return {
      status: exchange.status,
      contentType: '',
      retryAfter: exchange.retryAfter ?? '',
      body: exchange.body,
      events: exchange.status === switching ? events : undefined,
      closeCode,
      isReopened,
      failure,
      detail: failure === 'timed_out' ? `not within ${String(options.timeoutMs)} ms` : detail,
    };
  }
}

const switching = 101;

function openWith(options: PosterOptions, key: KeyUsed): Sender {
  return openSender({ ...options, apiKey: options.keys.good, authorization: credentialOf(options, key) });
}

/** Records the frames of the answer to a turn, each with the number of the read that contained its last byte. */
function recordFrames(
  { begin, ...socket }: SocketExchange,
  events: ReceivedEvent[],
  received: () => void,
): SocketExchange {
  let read = 0;
  let isReading = false;
  const record = (dialogue: Dialogue): Dialogue => {
    const { reader } = dialogue;
    const take = reader.take.bind(reader);
    // The reader of the reply relies on its own object, so only `take` is replaced.
    reader.take = (frame) => {
      if (!isReading) {
        read++;
        isReading = true;
        queueMicrotask(() => (isReading = false));
      }
      events.push({ type: '', data: frame.text(), read });
      received();
      return take(frame);
    };
    return dialogue;
  };
  return { ...socket, ...(begin && { begin: (opened) => record(begin(opened)) }) };
}
