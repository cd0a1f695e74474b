import type autocannon from 'autocannon';
import { excerpt } from '../../base/excerpt.ts';
import type { Ms } from '../../base/time.ts';
import type { RawFigures } from '../../calibrate/target-ceiling.ts';
import type { HeaderFields, Verdict } from '../../protocol/protocol.ts';
import type { FinishedClass } from '../../protocol/outcome.ts';
import { cpuMeter } from './cpu-meter.ts';
import { RawConnection, type RawClient, type RawSession } from './raw-connection.ts';

export interface RawLoad {
  /** Plain HTTP, to which `relay` adds the rest. */
  origin: URL;
  /** Socket of a relay to the target; omitted: connections go to `origin`. */
  relay?: string | undefined;
  /** Fields of every request, with names in lower case. */
  headers: HeaderFields;
  /** One connection each. */
  sessions: readonly RawSession[];
  durationMs: Ms;
  /** At least the number of sessions. */
  maxTurns: number;
  timeoutMs: Ms;
  /** Ends it at once. */
  stop: AbortSignal;
  /** Removes secrets from texts of the target. */
  redact: (text: string) => string;
}

interface RawOutcome extends RawFigures {
  /** True if the target did not keep the connections, so that the figures do not belong to the requested load. */
  unsteady: boolean;
}

/**
 * Loads a target as hard as autocannon can, without its rate mode, and counts the replies itself. autocannon 9.0.0
 * reconnects at once, silently and forever when a connection ends or is refused, and counts that as success: here it
 * ends after as many lost turns as connections and twenty more, and each is counted. It never verifies certificates, so it
 * reaches everything but plain HTTP through a relay.
 */
export async function runRawLoad(load: RawLoad): Promise<RawOutcome> {
  const { default: fire } = await import('autocannon');
  const step = new RawStep(load);
  const meter = cpuMeter();
  await new Promise<void>((resolve, reject) => {
    const onStop = (): void => step.end();
    const settle = (failed: unknown): void => {
      load.stop.removeEventListener('abort', onStop);
      if (failed instanceof Error) reject(failed);
      else resolve();
    };
    const tracker = fire({ ...optionsOf(load), setupClient: (client) => step.take(client as RawClient) }, settle);
    tracker.on('reqError', (error: NodeJS.ErrnoException) => step.failed(error));
    load.stop.addEventListener('abort', onStop);
    if (load.stop.aborted) onStop();
  });
  const { share, elapsedMs } = meter();
  return { ...step.figures(), cpuShare: share, elapsedMs };
}

/** Interval at which autocannon checks whether it has to end. */
const sampleMs = 50;
/** autocannon's minimum timeout. */
const minTimeoutSeconds = 1;

const optionsOf = (load: RawLoad): autocannon.Options => {
  const { origin, relay, headers, sessions, durationMs, timeoutMs } = load;
  return {
    url: origin.href,
    ...(relay === undefined ? {} : { socketPath: relay }),
    connections: sessions.length,
    duration: durationMs / 1000,
    timeout: Math.max(minTimeoutSeconds, timeoutMs / 1000),
    sampleInt: sampleMs,
    skipAggregateResult: true,
    headers,
  };
};

const forgivenLosses = 20;
const maxDetailLength = 300;

class RawStep {
  readonly #load: RawLoad;
  readonly #connections: RawConnection[] = [];
  readonly #classes: Partial<Record<FinishedClass, number>> = {};
  #example: string | null = null;
  #failures = 0;
  #sent = 0;
  #answered = 0;
  #endedAt: number | undefined;
  #unsteady = false;

  constructor(load: RawLoad) {
    this.#load = load;
  }

  take(client: RawClient): void {
    const session = this.#load.sessions[this.#connections.length];
    if (session === undefined) throw new Error('autocannon opened more connections than configured');
    const connection = new RawConnection(client, session, {
      sent: () => this.#checkLosses(++this.#sent),
      answered: (verdict) => this.#count(verdict),
    });
    this.#connections.push(connection);
    connection.attach();
  }

  failed(error: NodeJS.ErrnoException): void {
    this.#failures++;
    this.#note(classOf(error), error.code ?? error.message);
  }

  /** Ends it now, not at autocannon's next check. Deferred, because its client would set its timer again. */
  end(): void {
    this.#endedAt ??= performance.now();
    queueMicrotask(() => this.#connections.forEach(({ client }) => client.destroy()));
  }

  figures(): Omit<RawOutcome, 'cpuShare' | 'elapsedMs'> {
    const endedAt = this.#endedAt ?? performance.now();
    const silent = this.#connections.reduce((sum, { lost }) => sum + lost, 0) - this.#failures;
    for (let count = 0; count < silent; count++) this.#note('connection_lost', 'the target closed the connection');
    return {
      turnsPerSecond: this.#connections.reduce((sum, { pace }) => sum + pace.perSecond(endedAt), 0),
      sent: this.#sent,
      ok: this.#connections.reduce((sum, { pace }) => sum + pace.ok, 0),
      classes: this.#classes,
      example: this.#example,
      unsteady: this.#unsteady,
    };
  }

  #count({ outcome, detail }: Verdict): void {
    this.#answered++;
    if (outcome === 'aborted') return;
    this.#note(outcome, detail);
    if (outcome === 'unauthorized' || outcome === 'forbidden') this.end();
  }

  #note(outcome: FinishedClass, detail: string): void {
    this.#classes[outcome] = (this.#classes[outcome] ?? 0) + 1;
    if (outcome !== 'ok') this.#example ??= `${outcome}: ${excerpt(detail, this.#load.redact, maxDetailLength)}`;
  }

  #checkLosses(sent: number): void {
    const hasLostMany = sent - this.#answered > 2 * this.#load.sessions.length + forgivenLosses;
    const isUnsteady = hasLostMany && !this.#unsteady;
    this.#unsteady ||= hasLostMany;
    if (isUnsteady || sent >= this.#load.maxTurns) this.end();
  }
}

function classOf({ message, syscall }: NodeJS.ErrnoException): FinishedClass {
  if (message === 'request timed out') return 'timed_out';
  return syscall === 'connect' || syscall === 'getaddrinfo' ? 'connect_failed' : 'connection_lost';
}
