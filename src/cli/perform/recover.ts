import { dirname } from 'node:path';
import { recoverTo } from '../../app/recover.ts';
import { targetLine } from '../../report/run/target-line.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import { deliver } from '../console/deliver.ts';
import { stderr } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';

type RecoverArguments = Given<'recover'> & { journal: string };

export async function recover({ journal, out = dirname(journal), quiet, json }: RecoverArguments): Promise<number> {
  const { result, path } = await recoverTo(out, journal);
  if (quiet || json)
    for (const { code, message } of result.warnings) if (code.startsWith('journal_')) stderr.note(`warning ${message}`);
  const { code } = await deliver(result, {
    format: 'terminal',
    isCompact: json,
    path,
    brief: quiet ? [targetLine(result), `result    ${path}`] : undefined,
    concluded: { code: exitCodeOf(result), line: verdictLine(result) },
  });
  return code;
}
