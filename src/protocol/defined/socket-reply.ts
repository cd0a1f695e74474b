import { classOfClose, type CloseClass } from '../close-class.ts';
import { broken, jsonIn, refused } from '../classify-whole.ts';
import type { ErrorClass } from '../outcome.ts';
import type { EventContent, FrameReader, Received, StreamEvent, Verdict } from '../protocol.ts';
import { AuthorError, finderOf, type Finder } from './author-error.ts';
import { DefinedStream, errorInside } from './defined-stream.ts';
import { streamRules, type StreamRules } from './stream-rules.ts';
import type { SocketDefinition } from './definition.ts';
import { judgeResponse, errorReader, type ReadError } from './judge-response.ts';
import { idOf, idReader, type IdReader } from './read-reply.ts';

/** Values of frames, for all sockets of a target. */
export interface FrameRules extends StreamRules {
  match: Finder | undefined;
  retryAfter: Finder | undefined;
  ready: Finder | undefined;
  sessionId: IdReader | undefined;
  readError: ReadError;
  closeCodes: Readonly<Record<number, CloseClass>>;
}

export function frameRules({ connect, read, match, errors, closeCodes = {} }: SocketDefinition): FrameRules {
  const { ready, sessionId } = connect;
  return {
    ...streamRules({ errors }, read, 'read'),
    match: match === undefined ? undefined : finderOf('match', match),
    retryAfter: read.retryAfter === undefined ? undefined : finderOf('read.retryAfter', read.retryAfter),
    ready: ready === undefined ? undefined : finderOf('connect.ready', ready),
    sessionId: sessionId === undefined ? undefined : idReader('connect.sessionId', sessionId),
    readError: errorReader({ errors }),
    closeCodes,
  };
}

/** Reader of the frames of one reply. */
export class SocketReply extends DefinedStream implements FrameReader {
  readonly #rules: FrameRules;
  readonly #id: string;
  #hasContent = false;
  /** True after a frame with the id of the request. */
  #isMatched = false;
  /** JSON of the frame that was accepted last. */
  #accepted: { data: unknown } | undefined;

  constructor(rules: FrameRules, id: string) {
    super(rules);
    this.#rules = rules;
    this.#id = id;
  }

  accepts(frame: StreamEvent): boolean {
    const { match } = this.#rules;
    if (match === undefined) return true;
    const data = jsonIn(frame.text());
    this.#accepted = { data };
    const id = idOf(found(match, data));
    if (id === this.#id) this.#isMatched = true;
    return id === undefined || id === this.#id;
  }

  override take(frame: StreamEvent): EventContent {
    const content = super.take(frame);
    if (content !== 'other') this.#hasContent = true;
    return content;
  }

  get isOver(): boolean {
    return this.hasEnded || this.hasFailed;
  }

  get keepsSocket(): boolean {
    return this.hasEnded || this.errorEvent !== undefined || this.#rules.match !== undefined;
  }

  get retryAfter(): string | undefined {
    return waitIn(this.#rules.retryAfter, this.errorEvent);
  }

  /** Ends the reply before its first frame. */
  refuse(problem: Verdict): void {
    this.fail(problem);
  }

  protected override parse(frame: StreamEvent): unknown {
    const accepted = this.#accepted;
    this.#accepted = undefined;
    return accepted === undefined ? super.parse(frame) : accepted.data;
  }

  protected override judge(received: Received): Verdict {
    const { failure, closeCode, detail } = received;
    if (failure === undefined && closeCode !== undefined && !this.isOver)
      return refusedByClose(closeCode, detail, { ...this.#rules, hasContent: this.#hasContent });
    const verdict = super.judge({ ...received, status: 200 });
    return verdict.outcome === 'ok' && this.#rules.match !== undefined && !this.#isMatched ? unmatched : verdict;
  }
}

const unmatched = broken(
  'no frame of the reply has the id of its request at target.protocol.match: send puts `id` into its frame, and the service has to repeat it',
);

/** Reader of the frames before the first turn on a socket. */
export class Greeting implements FrameReader {
  readonly text = '';
  /** Id of the session; '' if the protocol has none. */
  sessionId = '';
  hasEnded: boolean;
  readonly #rules: FrameRules;
  #problem: Verdict | undefined;
  #errorFrame: unknown;
  #data: unknown;

  constructor(rules: FrameRules) {
    this.#rules = rules;
    this.hasEnded = rules.ready === undefined;
  }

  accepts(): boolean {
    return true;
  }

  take(frame: StreamEvent): EventContent {
    if (isBlank(frame)) return 'other';
    try {
      this.#read(jsonIn(frame.text()));
    } catch (thrown) {
      if (!(thrown instanceof AuthorError)) throw thrown;
      this.#problem = broken(thrown.message);
    }
    return 'other';
  }

  get isOver(): boolean {
    return this.hasEnded || this.#problem !== undefined;
  }

  get keepsSocket(): boolean {
    return this.hasEnded;
  }

  get retryAfter(): string | undefined {
    return waitIn(this.#rules.retryAfter, this.#errorFrame);
  }

  /** Ends the greeting before its first frame. */
  refuse(problem: Verdict): void {
    this.#problem = problem;
    this.hasEnded = false;
  }

  conclude(received: Received): Verdict {
    const verdict = this.#problem ?? judgeOpening(received, this.#rules);
    return verdict ?? { outcome: 'ok', detail: '', reply: { text: '', id: this.sessionId, data: this.#data } };
  }

  #read(data: unknown): void {
    const { ready, error, sessionId } = this.#rules;
    if (data === undefined) {
      this.#problem = refused('malformed', 'a frame that is not JSON before the socket was ready');
      return;
    }
    const stated: ErrorClass | undefined = error(data, '');
    if (stated !== undefined) {
      this.#errorFrame = data;
      this.#problem = refused(stated, errorInside(data));
      return;
    }
    const value = ready?.find(data);
    if (value === undefined || value === null || value === false) return;
    const id = sessionId?.(data) ?? '';
    if (typeof id !== 'string') {
      this.#problem = broken(`no session id${id.missing}`);
      return;
    }
    this.sessionId = id;
    this.#data = data;
    this.hasEnded = true;
  }
}

/** Returns the verdict on a socket that was not opened; `undefined`: it was. */
export function judgeOpening(received: Received, { readError, closeCodes }: FrameRules): Verdict | undefined {
  const { failure, status, closeCode, detail } = received;
  if (failure !== undefined) return refused(failure, detail);
  if (closeCode !== undefined) return refusedByClose(closeCode, detail, { closeCodes, hasContent: false });
  if (status === switching) return undefined;
  return judgeResponse(received, { readError, needsJson: false, judge: () => notUpgraded(status) });
}

/** Reports whether a frame has no content: services send such frames to keep a socket open. */
export function isBlank(frame: StreamEvent): boolean {
  return frame.end - frame.start <= maxBlank && frame.text().trim() === '';
}

const maxBlank = 16;

/** Returns the verdict on a closed socket, and names the remedy for a code without a class; `at`: path of `closeCodes`. */
export function refusedByClose(
  code: number,
  detail: string,
  { hasContent, closeCodes, at = 'closeCodes' }: Pick<FrameRules, 'closeCodes'> & { hasContent: boolean; at?: string },
): Verdict {
  const outcome = classOfClose(code, hasContent, closeCodes);
  const isUnknown = outcome === 'http_other' && closeCodes[code] === undefined;
  return refused(outcome, isUnknown ? `${detail}; target.protocol.${at} can give the code a class` : detail);
}

const switching = 101;

const notUpgraded = (status: number): Verdict => broken(`status ${String(status)} instead of the upgrade to WebSocket`);

const found = (finder: Finder, data: unknown): unknown => {
  try {
    return finder.find(data);
  } catch (thrown) {
    // The frame is then read as part of the reply, which reports the fault.
    if (thrown instanceof AuthorError) return undefined;
    throw thrown;
  }
};

/** Returns the whole seconds of a wait, as in a `Retry-After` field. */
function waitIn(finder: Finder | undefined, data: unknown): string | undefined {
  const value = finder === undefined || data === undefined ? undefined : found(finder, data);
  if (typeof value === 'number' && value >= 0) return String(Math.ceil(value));
  return typeof value === 'string' ? value : undefined;
}
