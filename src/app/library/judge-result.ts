import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import type { Result } from '../../result/result.ts';

/** How a run came out, as the command would say it. */
export interface Judgement {
  passed: boolean;
  /** 0 passed, 1 a gate or the integrity of conversations failed, 3 its surroundings stopped it, 4 invalid, 70 a bug, 130 interrupted. */
  exitCode: number;
  /** `PASSED`, `FAILED: why` or `INVALID: why`. */
  line: string;
}

/** Judges a result as the exit code of the command does: gates, integrity, validity, books and what stopped the run. */
export function judgeResult(result: Result): Judgement {
  const exitCode = exitCodeOf(result);
  return { passed: exitCode === 0, exitCode, line: verdictLine(result) };
}
