import type { ServerResponse } from 'node:http';

/** What waits for a viewer who does not read; beyond it the connection is dropped, and the browser comes back. */
const mostWaitingBytes = 8 * 1024 * 1024;

/** More browsers than anybody has. */
const mostViewers = 50;

/** The viewers of a live page: server-sent events, the same to each. */
export class LiveViewers {
  readonly #open = new Set<ServerResponse>();
  #events = 0;

  get count(): number {
    return this.#open.size;
  }

  get isFull(): boolean {
    return this.#open.size >= mostViewers;
  }

  /** Takes a response that has its head, until its connection is closed. */
  add(response: ServerResponse): void {
    this.#open.add(response);
    const remove = (): void => void this.#open.delete(response);
    response.once('close', remove).once('error', remove);
    response.write('retry: 1000\n\n');
  }

  /** Sends an event; its data is one line of JSON. */
  send(event: string, data: string, to: Iterable<ServerResponse> = this.#open): void {
    const text = `id: ${String(++this.#events)}\nevent: ${event}\ndata: ${data}\n\n`;
    for (const response of to) {
      response.write(text);
      if (response.writableLength > mostWaitingBytes) response.destroy();
    }
  }

  /** Closes every connection once the viewer has what was sent, or when the time is over. */
  async end(patienceMs: number): Promise<void> {
    const closed = [...this.#open].map(
      (response) =>
        new Promise<void>((resolve) => {
          response.once('close', resolve);
          response.end();
        }),
    );
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, patienceMs)));
    await Promise.race([Promise.all(closed), over]);
    clearTimeout(timer);
    for (const response of this.#open) response.destroy();
  }
}
