import { randomUUID } from 'node:crypto';
import type { EarlierTurns, NewTurn } from './conversation.ts';
import { turnsOf } from './transcript.ts';

/** The latest response of each socket that is kept only there (`store: false`), with its turns. Limited in number. */
export class SocketChains {
  readonly #max: number;
  readonly #latest = new Map<string, { id: string; turns: EarlierTurns }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes the response with this id out, if the socket has it: a turn that fails loses the chain, as OpenAI documents. */
  take(socket: string | undefined, responseId: string | undefined): EarlierTurns | undefined {
    if (socket === undefined || responseId === undefined) return undefined;
    const latest = this.#latest.get(socket);
    if (latest?.id !== responseId) return undefined;
    this.#latest.delete(socket);
    return latest.turns;
  }

  /** Keeps a response as the latest of its socket; returns its id. */
  keep(socket: string, earlier: EarlierTurns, turn: NewTurn | undefined): string {
    const id = `resp_${randomUUID().replaceAll('-', '')}`;
    this.#latest.delete(socket);
    this.#latest.set(socket, {
      id,
      turns: turn === undefined ? earlier : turnsOf([...earlier.remembered(), turn]),
    });
    // A reply may end after its socket has closed.
    for (const oldest of this.#latest.keys()) {
      if (this.#latest.size <= this.#max) break;
      this.#latest.delete(oldest);
    }
    return id;
  }

  forget(socket: string): void {
    this.#latest.delete(socket);
  }
}
