import type { ChatLoadError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import type { Shards } from '../../fleet/shards.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import type { PartitionTotals } from '../../record/partition.ts';
import type { SignalName } from '../../result/exit-code.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** The two ways to stop a run, and the signal of the system that did. */
export interface Stops {
  /** No new session starts; what is under way may finish within the grace period. */
  drain: AbortSignal;
  /** What is under way is cut. */
  cut: AbortSignal;
  /** The first signal of the system; `undefined` while there was none. */
  signal(): SignalName | undefined;
}

/** Where runs are followed, one after another. */
export interface Screen {
  /** Writes a line that stays. */
  note(text: string): void;
  /** Follows a run, until the returned function is called. */
  follow(live: () => Live, settled: Pick<Settled, 'plan' | 'script'>): () => void;
}

/** A run under way, for those who pass its figures on. Holds no secret. */
export interface RunUnderWay {
  plan: JournalHeader['plan'];
  run: JournalHeader['run'];
  target: { address: string; port: number; protocol: string };
  live(): Live;
  /** Everything recorded so far: some milliseconds, for now and then. */
  totals(): readonly PartitionTotals[];
}

/** Passes the figures of runs on while they go on, to a dashboard for instance. */
export interface RunObserver {
  observe(run: RunUnderWay): {
    /** The run has ended and its figures are final. Gives what did not arrive; `hurry` ends any waiting. */
    end(hurry: AbortSignal): Promise<readonly Warning[]>;
  };
}

/** A run under way, as far as code of its scenario can fail where no session waits for it. */
export interface StrayWatch {
  /** Resolves with the first failure of code that the scenario has started and nothing awaits; else never. */
  failed: Promise<ChatLoadError>;
  /** The same as soon as it has happened. */
  failure(): ChatLoadError | undefined;
  /** The journal of the run is there. */
  hasJournal(path: string): void;
  /** The run is over: what fails now ends the process. */
  release(): void;
}

/** Follows a run as its journal does. */
export interface LiveFeed {
  /** Where it is shown: a secret of the run. */
  address: string;
  /** The run starts. */
  begin(header: JournalHeader): void;
  /** A line of its journal, which the journal may not have written yet. */
  add(line: Buffer): void;
}

/** Others that play a run, this process being their coordinator. */
export interface Fleet {
  /** How many shards. */
  count: number;
  /** Path of the scenario, as the workers know it. */
  scenario: string;
  /** Whether shards are played from other files than those here. */
  isElsewhere: boolean;
  /** How long shards may take until they are ready. */
  readyWithinMs: Ms;
  /** On how many cores the embedded service runs, where it is the target. */
  serviceCores: number;
  /** Offers the jobs, one a shard. `environment` is what processes of this machine are told of secrets that flags gave. */
  open(jobs: readonly ShardJob[], environment: Readonly<Record<string, string>>): Promise<Shards>;
}

/** What the owner of the process gives a run: the command does, the library does not. */
export interface RunPorts {
  stops: Stops;
  screen: Screen;
  watchStrays: (scenario: string) => StrayWatch;
  live?: LiveFeed | undefined;
  observers?: readonly RunObserver[] | undefined;
  /** Plays the run; none: this process does. */
  fleet?: Fleet | undefined;
}
