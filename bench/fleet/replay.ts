import type { ShardProcess, ToShardProcess } from '../../src/edge/fleet/fork-shard.ts';
import type { FromShard } from '../../src/fleet/messages.ts';
import type { Shard } from '../../src/plan/shard.ts';
import { machineNow, type Recording } from './record-shards.ts';

type Listener = Parameters<ShardProcess['listen']>[0];

/** Observations of the common start by the replays of a process, on the machine's clock. */
export interface StartSeen {
  at: number;
  /** Time at which the start was received. */
  receivedAt: number;
}

/**
 * Replaces a process that runs a shard: repeats the messages of another shard at the same times since the start. Session
 * numbers are those of its own shard; counts and histograms are the recorded ones.
 */
export class Replay implements ShardProcess {
  readonly pid = process.pid;
  readonly #recordings: readonly Recording[];
  readonly #onStart: (seen: StartSeen) => void;
  #listener: Listener | undefined;
  #said: Recording['messages'] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(recordings: readonly Recording[], onStart: (seen: StartSeen) => void) {
    this.#recordings = recordings;
    this.#onStart = onStart;
  }

  listen(listener: Listener): void {
    this.#listener = listener;
  }

  send(message: ToShardProcess): void {
    if (message.kind === 'play') this.#prepare(message.job.shard);
    else if (message.kind === 'start') this.#start(message.at);
    else if (message.kind === 'stop' && message.level === 'cut') this.kill();
  }

  kill(): void {
    clearTimeout(this.#timer);
    this.#leave('it was ended');
  }

  #prepare({ index }: Shard): void {
    const recording = this.#recordings[index % this.#recordings.length];
    if (recording === undefined) throw new Error('there is nothing to replay');
    const [ready, ...said] = recording.messages;
    this.#said = said.map((each) => ({ ...each, message: ofShard(each.message, index - recording.shard) }));
    if (ready !== undefined) this.#say(ready.message);
  }

  #start(at: number): void {
    this.#onStart({ at, receivedAt: machineNow() });
    this.#next(at);
  }

  #next(at: number): void {
    const due = this.#said[0];
    if (due === undefined) return this.#leave('its process ended with code 0');
    const waitMs = at + due.afterMs - machineNow();
    if (waitMs > 0) {
      this.#timer = setTimeout(() => this.#next(at), Math.ceil(waitMs));
      return;
    }
    this.#said.shift();
    this.#say(due.message);
    this.#next(at);
  }

  #say(message: FromShard): void {
    this.#listener?.received(message);
  }

  #leave(reason: string): void {
    this.#listener?.gone(reason);
    this.#listener = undefined;
  }
}

/** Returns a message with its session numbers moved by a distance between shards. */
function ofShard(message: FromShard, distance: number): FromShard {
  if (message.kind !== 'piece') return message;
  const { examples, violations } = message.piece;
  const moved = <Item extends { session: number }>(item: Item): Item => ({ ...item, session: item.session + distance });
  return {
    ...message,
    piece: { ...message.piece, examples: examples.map(moved), violations: violations.map(moved) },
  };
}
