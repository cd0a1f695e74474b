import type { FinishedClass } from '../protocol/outcome.ts';

/** What one load of a probe brought: closed, no think time, one session a connection. */
export interface LoadFigures {
  /** Turns answered well per second. */
  turnsPerSecond: number;
  /** Turns that were begun, those included that the end of the step cut. */
  sent: number;
  ok: number;
  /** What else became of turns, and ok ones too. */
  classes: Readonly<Partial<Record<FinishedClass, number>>>;
  /** Processor time of this process over the time that passed; 1 is a whole core. */
  cpuShare: number;
  elapsedMs: number;
  /** The first turn that went wrong, in words; `null` when none did. */
  example: string | null;
}

/** The same load twice: by autocannon and by chat-load. `null`: it was not measured. */
export interface ProbeStep {
  connections: number;
  autocannon: LoadFigures | null;
  chatLoad: LoadFigures | null;
}

/** Why a probe took no further step. */
export type ProbeEnd = 'no_growth' | 'most_connections' | 'failures' | 'turns_spent' | 'sessions_refused' | 'signal';

/** What chat-load can ask with one core, measured against a responder that only answers. */
export interface GeneratorCeiling {
  /** One core over the processor time of a turn. */
  turnsPerSecond: number;
  cpuUsPerTurn: number;
  /** What was in fact asked while it was measured, which is less where the core was shared. */
  askedPerSecond: number;
  connections: number;
}

/** The better of a step's two figures: a target can do what either of them saw it do. */
export function bestOf({ autocannon, chatLoad }: ProbeStep): LoadFigures | null {
  return (autocannon?.turnsPerSecond ?? -1) > (chatLoad?.turnsPerSecond ?? -1) ? autocannon : chatLoad;
}

export function rateOf(step: ProbeStep): number {
  return bestOf(step)?.turnsPerSecond ?? 0;
}
