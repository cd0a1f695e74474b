import { later } from '../../../base/time.ts';
import { withoutField } from '../../../protocol/defined/header-fields.ts';
import type { ChatRequest, HeaderFields, SocketExchange } from '../../../protocol/protocol.ts';
import type { Send } from '../../../session/send.ts';
import { urlOf } from '../request/request-head.ts';
import { QueueingSender } from '../sender/queueing-sender.ts';
import type { SenderOptions } from '../sender/sender-options.ts';
import type { Upgrade } from './request-upgrade.ts';
import { SessionSocket } from './session-socket.ts';
import { SocketAttempt, type SocketPool } from './socket-attempt.ts';

/** Sender over WebSocket: every session has a socket of its own, which is opened by its creation, or again by a turn. */
export class SocketSender
  extends QueueingSender<SocketAttempt, SessionSocket, HeaderFields>
  implements SocketPool<SessionSocket>
{
  readonly #options: SenderOptions;
  readonly #all = new Set<SessionSocket>();
  readonly #closedTraffic = { bytesSent: 0, bytesReceived: 0 };

  constructor(options: SenderOptions) {
    super(options, { tunnelsAlways: true });
    this.#options = options;
  }

  readonly send: Send = (request, sentAt, leaveAfterMs) =>
    new Promise((resolve) => {
      if (this.isCut) return resolve(this.abortedBeforeSend(sentAt, false));
      if (!isOverSocket(request)) throw new Error('a request without a socket was sent over WebSocket');
      const { link } = request.socket.line;
      const kept = link instanceof SessionSocket && link.isIdle ? link : undefined;
      const attempt = new SocketAttempt({ request, sentAt, resolve }, kept !== undefined);
      if (request.line === undefined) this.underWay.add(attempt.entry, later(sentAt, this.settings.timeoutMs));
      else this.listen(attempt, request.line);
      if (leaveAfterMs !== undefined) this.leaveAt(attempt, later(sentAt, leaveAfterMs));
      if (kept === undefined) this.#open(attempt);
      else kept.begin(attempt);
    });

  get traffic(): { bytesSent: number; bytesReceived: number } {
    const sum = { ...this.#closedTraffic };
    for (const socket of this.#all) addTraffic(sum, socket);
    return sum;
  }

  connected(socket: SessionSocket): void {
    this.opening.remove(socket.openingEntry);
  }

  ended(attempt: SocketAttempt): void {
    this.underWay.remove(attempt.entry);
    this.forget(attempt);
  }

  socketClosed(socket: SessionSocket): void {
    this.opening.remove(socket.openingEntry);
    addTraffic(this.#closedTraffic, socket);
    this.#all.delete(socket);
    this.countClosed();
  }

  #open(attempt: SocketAttempt): void {
    const socket = new SessionSocket(this.settings, this, { attempt, upgrade: this.#upgradeOf(attempt.request) });
    this.#all.add(socket);
    this.opened(socket, this.settings.clock.now());
  }

  #upgradeOf({ route, fields = '', socket }: SocketAttempt['request']): Upgrade {
    const { baseUrl, apiKey } = this.#options;
    const { pathname, search } = urlOf(baseUrl, {
      origin: route.origin,
      path: route.path.replaceAll(keyPlaceholder, () => encodeURIComponent(apiKey)),
    });
    return {
      path: pathname + search,
      headers: { ...this.headOf(route), ...readFields(fields) },
      subprotocols: socket.subprotocols.map((name) => name.replaceAll(keyPlaceholder, () => apiKey)),
      withKey: (frame) => frame.replaceAll(keyPlaceholder, () => JSON.stringify(apiKey).slice(1, -1)),
    };
  }

  protected readHead(head: string): HeaderFields {
    const [, ...lines] = head.split('\r\n');
    const fields = ['Connection', 'Content-Length'].reduce(withoutField, readFields(lines.join('\r\n')));
    return { ...fields, 'Accept-Encoding': 'identity' };
  }

  /** A session keeps its socket: the service has its conversation there. */
  protected leaveAstray(): void {}

  protected leaveAll(): void {
    for (const socket of this.#all) socket.leave();
  }
}

const keyPlaceholder = '{{apiKey}}';

const isOverSocket = (request: ChatRequest): request is ChatRequest & { socket: SocketExchange } =>
  request.socket !== undefined;

function addTraffic(sum: SessionSocket['traffic'], { traffic }: SessionSocket): void {
  sum.bytesSent += traffic.bytesSent;
  sum.bytesReceived += traffic.bytesReceived;
}

/** Reads header lines. */
function readFields(text: string): HeaderFields {
  const lines = text.split('\r\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf(':');
      return [line.slice(0, end), line.slice(end + 1).trim()];
    }),
  );
}
