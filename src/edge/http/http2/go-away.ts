import { wordCode } from './stream-codes.ts';

/** A server asks to leave a connection, and says up to which stream it has begun with them. */
export class GoAway {
  readonly code: number;
  readonly reason: string;
  readonly #lastStream: number;

  constructor(code: number, lastStream: number) {
    this.code = code;
    this.reason = `GOAWAY, ${wordCode(code)}`;
    this.#lastStream = lastStream;
  }

  /** Whether the server has not begun with a stream; one that was not sent yet has no number. */
  excludes(stream: number | undefined): boolean {
    return stream === undefined || stream > this.#lastStream;
  }
}
