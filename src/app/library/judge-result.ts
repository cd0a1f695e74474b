import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import type { Result } from '../../result/result.ts';
import { requireResult } from './require-result.ts';

/** How a run came out, as the command would say it. */
export interface Judgement {
  passed: boolean;
  /** 0 passed, 1 a gate or the integrity of conversations failed, 2 a function of the scenario or of the caller did, 3 its surroundings stopped it, 4 invalid, 70 a bug, 130 interrupted. */
  exitCode: number;
  /** `PASSED`, `FAILED: why` or `INVALID: why`. */
  line: string;
}

/** Judges a result as the exit code of the command does: gates, integrity, validity, books and what stopped the run. Throws a usage error for what is not a result. */
export function judgeResult(given: Result): Judgement {
  const result = requireResult('The document given to judgeResult', given);
  const exitCode = exitCodeOf(result);
  return { passed: exitCode === 0, exitCode, line: verdictLine(result) };
}
