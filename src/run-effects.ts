import type { ChatLoadError } from './base/errors.ts';
import type { Clock, Instant } from './base/time.ts';
import type { Access } from './plan/settle-auth.ts';
import type { Shard } from './plan/shard.ts';
import type { ChatProtocol } from './protocol/protocol.ts';
import type { Recorder } from './record/recorder.ts';
import type { Snapshot } from './record/snapshot.ts';
import type { Warning } from './result/sections/warning.ts';
import type { Droughts } from './schedule/stop/watchdog.ts';
import type { FollowedSignals, StopWithInstant } from './schedule/stop/stop-controller.ts';
import type { Send } from './session/send.ts';
import type { UnfitTarget } from './session/session-context.ts';
import type { HeadSources } from './session/session-head.ts';

/** What a run needs from the banks. */
export interface RunEffects extends FollowedSignals {
  /** How the target is spoken to. */
  protocol: ChatProtocol;
  send: Send;
  /** Aborts every exchange in flight; they end as `aborted`. */
  abortExchanges(): void;
  clock: Clock;
  /** Redacts secrets in texts that are kept. */
  redact(text: string): string;
  /** What requests have in their heads beside what all have. */
  heads?: HeadSources | undefined;
  /** Called once with what should be known during the run. */
  warn?: (warning: Warning) => void;
  /** Is given the recorder to look at while the run goes on. */
  watch?: (underWay: UnderWay) => void;
  /** A run whose journal fails is stopped: hours of it could be lost. */
  journal?: Journal | undefined;
  /** Resolves when code of the scenario that no session awaits has failed; else never. */
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** What authorizes requests, where it is renewed. */
  access?: Access | undefined;
  /** What makes the run one shard of a larger one. */
  part?: Part | undefined;
}

/** A run under way. */
export interface UnderWay extends Pick<Recorder, 'live' | 'totals'> {
  droughts: () => Droughts;
}

/** The place of a run in a larger one. Gates and the watchdog are the coordinator's, which sees the whole. */
export interface Part {
  shard: Shard;
  /** The instant from which all shards count. */
  startedAt: Instant;
  /** The target never worked, as far as this shard has seen. */
  leaveUnfit(found: UnfitTarget): void;
  /** The shard is to stop by itself, because of what it has seen: called at once, with the first reason. */
  stopping(stop: StopWithInstant): void;
}

/** Receives every interval as soon as it is closed, so that little is lost when the run dies. */
export interface Journal {
  add(piece: Snapshot): void;
  /** Receives every warning that only the run itself can notice. */
  warn?(warning: Warning): void;
  /** Resolves when it can take no more, with the reason; else never. */
  failed: Promise<ChatLoadError>;
}
