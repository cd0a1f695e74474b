import { isObject } from '../../base/is-object.ts';
import { broken, jsonIn, refused } from '../classify-whole.ts';
import { classOfClose } from '../close-class.ts';
import type { FrameReader, HeaderFields, Received, StreamEvent, Verdict } from '../protocol.ts';
import { refuseResponse } from './api-error.ts';
import { frameError, type FrameError } from './frame-error.ts';
import type { Fields } from './read-reply.ts';

/** Reader of the frames before the first turn on a socket of a model API. */
export class Opening implements FrameReader {
  readonly text = '';
  hasEnded: boolean;
  readonly #readId: ((frame: Fields) => string | undefined) | undefined;
  #sessionId = '';
  #problem: Verdict | undefined;
  #error: FrameError | undefined;

  /** `readId`: returns the id of the session in the frame after which turns can be sent; omitted: at once, without an id. */
  constructor(readId?: (frame: Fields) => string | undefined) {
    this.#readId = readId;
    this.hasEnded = readId === undefined;
  }

  accepts(): boolean {
    return true;
  }

  take(frame: StreamEvent): 'other' {
    const data = jsonIn(frame.text());
    if (!isObject(data))
      this.#problem = refused('malformed', 'a frame that is not a JSON object before the socket was ready');
    else if ((this.#error = frameError(data)) !== undefined) this.#problem = this.#error.verdict;
    else {
      const id = this.#readId?.(data);
      this.hasEnded = id !== undefined;
      this.#sessionId = id ?? '';
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
    return this.#error?.retryAfter;
  }

  get waits(): HeaderFields | undefined {
    return this.#error?.waits;
  }

  conclude(received: Received): Verdict {
    const verdict = this.#problem ?? judgeUpgrade(received);
    return verdict ?? { outcome: 'ok', detail: '', reply: { text: '', id: this.#sessionId, data: undefined } };
  }
}

/** Returns the verdict on a socket that was not opened, by the response to the upgrade; `undefined`: it was. */
function judgeUpgrade({ failure, status, closeCode, detail, body }: Received): Verdict | undefined {
  if (failure !== undefined) return refused(failure, detail);
  if (closeCode !== undefined) return refused(classOfClose(closeCode, false), detail);
  if (status === switching) return undefined;
  const refusal = refuseResponse(status, jsonIn(body), body);
  return refusal ?? broken(`status ${String(status)} instead of the upgrade to WebSocket`);
}

const switching = 101;

/** Returns the verdict on an exchange that ended before its turn was sent. */
export function readOpening(received: Received): Verdict {
  const { stream } = received;
  if (stream instanceof Opening) return stream.conclude(received);
  return judgeUpgrade(received) ?? broken('the socket was opened without an answer');
}
