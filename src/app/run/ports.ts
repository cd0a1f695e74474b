import type { ChatLoadError } from '../../base/errors.ts';
import type { Ms } from '../../base/time.ts';
import type { ShardJob } from '../../fleet/messages.ts';
import type { Shards } from '../../fleet/shards.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Live } from '../../record/live.ts';
import type { PartitionTotals } from '../../record/partition.ts';
import type { SignalName } from '../../result/exit-code.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** The two ways to stop a run, and the operating-system signal, if any. */
export interface Stops {
  /** Drains: no new session starts; active ones may finish within the grace period. */
  drain: AbortSignal;
  cut: AbortSignal;
  signal(): SignalName | undefined;
}

export interface Screen {
  note(text: string): void;
  /** Shows the progress of a run until the returned function is called. */
  follow(live: () => Live, resolved: Pick<ResolvedScenario, 'plan' | 'script'>): () => void;
}

/** An active run for exporters. Contains no secret. */
export interface RunUnderWay {
  plan: JournalHeader['plan'];
  run: JournalHeader['run'];
  target: { address: string; port: number; protocol: string };
  live(): Live;
  /** Returns everything recorded so far; takes some milliseconds. */
  totals(): readonly PartitionTotals[];
}

export interface RunObserver {
  observe(run: RunUnderWay): {
    /** Exports the final figures. Resolves with warnings about lost figures; `hurry` ends any waiting. */
    end(hurry: AbortSignal): Promise<readonly Warning[]>;
  };
}

/** Watch for scenario code that fails while no session awaits it. */
export interface StrayWatch {
  /** Resolves with the first failure of scenario code that nothing awaits. */
  failed: Promise<ChatLoadError>;
  failure(): ChatLoadError | undefined;
  /** Called when the journal is open. */
  hasJournal(path: string): void;
  /** Ends the watch; later failures end the process. */
  release(): void;
}

export interface LiveFeed {
  /** Address of the live page, a secret of the run. */
  address: string;
  begin(header: JournalHeader): void;
  /** Called with each line, possibly before the journal has written it. */
  add(line: Buffer): void;
}

/** Processes that run a load with this process as coordinator. */
export interface Fleet {
  count: number;
  /** Path of the scenario on the workers. */
  scenario: string;
  /** True if shards use other scenario files than this process. */
  isElsewhere: boolean;
  readyWithinMs: Ms;
  /** Offers the jobs, one per shard. `environment` passes secrets from flags to local processes. */
  open(jobs: readonly ShardJob[], environment: Readonly<Record<string, string>>): Promise<Shards>;
}

export interface RunPorts {
  stops: Stops;
  screen: Screen;
  watchStrays: (scenario: string) => StrayWatch;
  live?: LiveFeed | undefined;
  observers?: readonly RunObserver[] | undefined;
  /** Fleet that runs the load. Default: this process. */
  fleet?: Fleet | undefined;
}
