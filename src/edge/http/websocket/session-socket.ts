import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { messageOf } from '../../../base/errors.ts';
import { between, type Instant } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { SocketLine, SocketLink } from '../../../protocol/protocol.ts';
import { connectFailureText, describeConnectFailure } from '../connect/connect-failure.ts';
import { openSocket, type OpeningSocket } from '../connect/open-socket.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { safeDetail } from '../exchange/safe-detail.ts';
import { AddressCounts } from '../exchange/transport-counts.ts';
import type { SenderSettings } from '../sender/queueing-sender.ts';
import { abnormal, describeClose, describeError, goingAway, normal } from './describe-end.ts';
import { readRefusal, recordHead, recordRefusal } from './read-refusal.ts';
import { onCloseFrame, requestUpgrade, type Upgrade } from './request-upgrade.ts';
import { frameOf, type SocketAttempt, type SocketCarrier, type SocketPool } from './socket-attempt.ts';

/**
 * The socket of one session, and the attempt in progress on it.
 *
 *     connecting -> upgrading -> greeting -> idle <-> busy
 *          '-----------'------------'---------'--------'--> closing -> closed
 */
export class SessionSocket implements SocketLink, SocketCarrier {
  readonly openingEntry = new DueEntry<SessionSocket>(this);
  #phase: 'connecting' | 'upgrading' | 'greeting' | 'idle' | 'busy' | 'closing' | 'closed' = 'connecting';
  readonly #settings: SenderSettings;
  readonly #pool: SocketPool<SessionSocket>;
  readonly #line: SocketLine;
  readonly #openedAt: Instant;
  #opening: OpeningSocket | undefined;
  #upgrade: Upgrade | undefined;
  readonly #withKey: Upgrade['withKey'];
  #attempt: SocketAttempt | undefined;
  #socket: Socket | undefined;
  #ws: WebSocket | undefined;
  #address = new AddressCounts();
  /** Instant of the latest read: the time of every frame in it. */
  #readAt: Instant;
  #wasOpen = false;
  #pings: NodeJS.Timeout | undefined;

  /** Begins to open the socket for an attempt. */
  constructor(
    settings: SenderSettings,
    pool: SocketPool<SessionSocket>,
    { attempt, upgrade }: { attempt: SocketAttempt; upgrade: Upgrade },
  ) {
    const { socket } = attempt.request;
    this.#settings = settings;
    this.#pool = pool;
    this.#attempt = attempt;
    this.#upgrade = upgrade;
    this.#withKey = upgrade.withKey;
    this.#line = socket.line;
    this.#line.link = this;
    attempt.carriedBy(this);
    this.#openedAt = settings.clock.now();
    this.#readAt = this.#openedAt;
    this.#opening = openSocket(settings.aim, undefined, {
      ready: (opened, address) => this.#connected(opened, address),
      failed: (error) => this.#failConnecting(error),
    });
  }

  /** True if an attempt can begin. */
  get isIdle(): boolean {
    return this.#phase === 'idle' && this.#ws?.readyState === WebSocket.OPEN;
  }

  get progress(): string {
    return this.#phase === 'upgrading' ? 'before the upgrade was answered' : 'while connecting';
  }

  get traffic(): { bytesSent: number; bytesReceived: number } {
    return { bytesSent: this.#socket?.bytesWritten ?? 0, bytesReceived: this.#socket?.bytesRead ?? 0 };
  }

  /** Begins an attempt on the open socket. */
  begin(attempt: SocketAttempt): void {
    attempt.carriedBy(this);
    attempt.exchange.status = switching;
    this.#attempt = attempt;
    this.#beginTurn(attempt, false);
  }

  close(): void {
    this.#leave(normal);
  }

  /** Closes the socket without a handshake, except one that is already being closed. */
  leave(): void {
    if (this.#phase === 'closing') return;
    this.#leave(goingAway);
    this.#ws?.terminate();
  }

  giveUpConnecting(): void {
    const { connectTimeoutMs, redact } = this.#settings;
    const failure = this.#opening?.describeTimeout(connectTimeoutMs);
    if (failure !== undefined) this.fail('connect_failed', connectFailureText(failure, redact));
  }

  /** Ends the attempt in progress as failed. A user who leaves cancels the reply, if the protocol can. */
  fail(failure: ExchangeFailure, detail: string): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    const cancel = failure === 'abandoned' && this.#phase === 'busy' ? attempt.dialogue?.cancel?.() : undefined;
    const mayKeep = this.#phase === 'busy' && attempt.reader?.keepsSocket === true;
    attempt.exchange.failure = failure;
    attempt.exchange.detail = safeDetail(detail, this.#settings.redact);
    if (cancel !== undefined) for (const frame of cancel) this.#ws?.send(frame);
    const isKept = mayKeep && (failure === 'timed_out' || cancel !== undefined);
    this.#end(attempt, { isKept, at: this.#settings.clock.now(), code: goingAway });
  }

  #connected(socket: Socket, address: string): void {
    const { aim, counts, limits } = this.#settings;
    const upgrade = this.#upgrade;
    this.#phase = 'upgrading';
    this.#opening = undefined;
    this.#upgrade = undefined;
    this.#socket = socket;
    // The library reports its own end of the socket first.
    socket.once('close', () => setImmediate(() => this.#socketClosed()));
    this.#pool.connected(this);
    this.#address = counts.at(address);
    this.#address.connections++;
    counts.tls.add(socket, aim.tls?.rejectUnauthorized !== false);
    let ws: WebSocket;
    try {
      ws = requestUpgrade(socket, upgrade ?? { path: '/', headers: {}, subprotocols: [] }, limits);
    } catch (thrown) {
      // Header fields and subprotocols may contain values that are known only now, such as the key.
      this.fail('connect_failed', `the upgrade cannot be sent: ${messageOf(thrown)}`);
      socket.destroy();
      return;
    }
    this.#ws = ws;
    ws.on('upgrade', (response) => this.#noteHead(response));
    ws.on('unexpected-response', (_, response) => this.#refused(response, socket));
    ws.on('open', () => this.#opened(socket, ws));
    ws.on('message', (data: Buffer) => this.#take(data));
    ws.on('error', (error: Error & { code?: string }) => this.#broke(error));
    ws.on('close', (code, reason) => this.#closed(code, reason.toString()));
    // The socket of a tunnel is paused.
    socket.resume();
  }

  #noteHead(response: IncomingMessage): void {
    const { cookies, clock, counts } = this.#settings;
    this.#readAt = clock.readAt();
    counts.exchanges.http1++;
    if (this.#attempt !== undefined) recordHead(this.#attempt.exchange, response, cookies);
  }

  /** Reads the response of a server that refuses the upgrade. */
  #refused(response: IncomingMessage, socket: Socket): void {
    const { redact, limits } = this.#settings;
    const attempt = this.#attempt;
    this.#noteHead(response);
    if (attempt !== undefined) attempt.exchange.firstByteAt = this.#readAt;
    readRefusal(response, limits.maxBodyBytes, (refusal) => {
      if (attempt !== undefined && attempt === this.#attempt) {
        recordRefusal(attempt.exchange, { refusal, response, redact });
        this.#drop(attempt, this.#settings.clock.now());
      }
      socket.destroy();
    });
  }

  #opened(socket: Socket, ws: WebSocket): void {
    const attempt = this.#attempt;
    onCloseFrame(ws, (code, reason) => this.#closed(code, reason));
    // Called before the library parses frames: they have the instant of their last byte.
    socket.prependListener('data', () => {
      this.#readAt = this.#settings.clock.readAt();
      this.#attempt?.beginRead(this.#readAt);
    });
    this.#wasOpen = true;
    this.#line.observer.opened();
    this.#phase = 'greeting';
    if (attempt === undefined) return this.#leave(goingAway);
    this.#send(attempt, attempt.greet(this.#readAt).map(this.#withKey));
    if (attempt.reader?.isOver === true) this.#greeted(attempt);
  }

  #greeted(attempt: SocketAttempt): void {
    if (attempt.reader?.hasEnded === true) {
      this.#startPings();
      this.#beginTurn(attempt, true);
    } else this.#drop(attempt, this.#readAt);
  }

  #beginTurn(attempt: SocketAttempt, isNew: boolean): void {
    const now = isNew ? this.#readAt : this.#settings.clock.now();
    const frames = attempt.begin(isNew ? between(this.#openedAt, now) : undefined, now);
    if (frames === undefined) return this.#end(attempt, { isKept: true, at: now, code: normal });
    this.#phase = 'busy';
    this.#send(attempt, frames);
    if (attempt.reader?.isOver === true) this.#end(attempt, { isKept: true, at: now, code: normal });
  }

  #send({ exchange }: SocketAttempt, frames: readonly string[]): void {
    for (const frame of frames) {
      exchange.hasSentFrames = true;
      this.#ws?.send(frame);
    }
  }

  #take(bytes: Buffer): void {
    const attempt = this.#attempt;
    const taken = attempt?.take(bytes, this.#readAt) ?? 'foreign';
    if (taken === 'foreign' || attempt === undefined) {
      const meaning = this.#line.meaningOf(frameOf(bytes));
      if (meaning === 'reply') this.#line.observer.unsolicited();
      // The next attempt opens another socket.
      if (meaning === 'end' && attempt === undefined) this.#leave(normal);
      return;
    }
    if (taken > 0) this.#pool.receivedContent(attempt, this.#readAt);
    const { reader } = attempt;
    if (reader?.isOver !== true) return;
    if (this.#phase === 'greeting') this.#greeted(attempt);
    else this.#end(attempt, { isKept: reader.keepsSocket, at: this.#readAt, code: normal });
  }

  #drop(attempt: SocketAttempt, at: Instant): void {
    this.#end(attempt, { isKept: false, at, code: normal });
  }

  /** Ends the attempt; the socket stays open for the next one, or is closed. */
  #end(attempt: SocketAttempt, { isKept, at, code }: { isKept: boolean; at: Instant; code: number }): void {
    this.#attempt = undefined;
    this.#pool.ended(attempt);
    if (attempt.exchange.failure === undefined) this.#address.exchanges++;
    if (isKept) this.#phase = 'idle';
    else this.#leave(code);
    attempt.end(at);
  }

  #leave(code: number): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#phase = 'closing';
    if (this.#line.link === this) this.#line.link = undefined;
    clearInterval(this.#pings);
    if (this.#opening !== undefined) {
      this.#opening.cancel();
      this.#opening = undefined;
      this.#socketClosed();
    } else if (this.#ws?.readyState === WebSocket.OPEN) this.#ws.close(code);
    else if (this.#ws?.readyState === WebSocket.CONNECTING) this.#ws.terminate();
  }

  /** Handles an error of the upgrade or of a frame. */
  #broke(error: Error & { code?: string }): void {
    const { failure, detail } = describeError(error);
    this.#endClosed(failure, { detail, at: this.#settings.clock.now() });
  }

  #closed(code: number, reason: string): void {
    if (this.#attempt !== undefined) this.#attempt.exchange.closeCode = code;
    // The close frame was the last one.
    const at = code === abnormal ? this.#settings.clock.now() : this.#readAt;
    // The protocol limits a reason to 123 bytes: it may end within a secret.
    this.#endClosed(undefined, { detail: describeClose(code, this.#settings.redact(reason)), at });
    this.#leave(normal);
  }

  /** Ends the attempt in progress, if any, because the socket ended. */
  #endClosed(failure: ExchangeFailure | undefined, { detail, at }: { detail: string; at: Instant }): void {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    attempt.exchange.failure = failure;
    attempt.exchange.detail = safeDetail(`${detail} ${attempt.progress}`, this.#settings.redact);
    this.#drop(attempt, at);
  }

  #socketClosed(): void {
    if (this.#phase === 'closed') return;
    this.#endClosed('connection_lost', { detail: 'the connection was closed', at: this.#settings.clock.now() });
    this.#leave(normal);
    this.#phase = 'closed';
    if (this.#wasOpen) this.#line.observer.closed();
    this.#pool.socketClosed(this);
  }

  #failConnecting(error: Error): void {
    const { aim, counts, redact } = this.#settings;
    const failure = describeConnectFailure(error, aim.place);
    counts.noteLack(failure.lack);
    this.fail('connect_failed', connectFailureText(failure, redact));
  }

  #startPings(): void {
    const { pingIntervalMs } = this.#line;
    if (pingIntervalMs !== undefined) this.#pings = setInterval(() => this.#ws?.ping(), pingIntervalMs);
  }
}

const switching = 101;
