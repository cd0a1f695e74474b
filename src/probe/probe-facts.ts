import type { AttemptClass } from '../protocol/outcome.ts';
import type { Warning } from '../result/sections/warning.ts';
import type { GeneratorCeiling, ProbeEnd, ProbeStep } from './probe.ts';

/** What a probe saw, as far as it got. */
export interface ProbeFacts {
  startedAt: string;
  elapsedMs: number;
  toolVersion: string;
  baseUrl: string;
  embedded: boolean;
  steps: readonly ProbeStep[];
  end: ProbeEnd;
  generator: GeneratorCeiling | undefined;
  unsteady: boolean;
  /** Why a session could not be created. */
  refused: { outcome: AttemptClass; detail: string } | undefined;
  turnsSent: number;
  /** What was known before the start. */
  warnings: readonly Warning[];
}
