import picocolors from 'picocolors';
import { z } from 'zod';
import { checkDocument } from '../../edge/disk/parse-document.ts';
import { requireDocument } from '../../edge/disk/read-result.ts';
import { schemas, type Documents, type Kind } from '../../report/documents.ts';
import { formats } from '../../report/formats.ts';
import { verdictLine } from '../../report/run/verdict-line.ts';
import { exitCodeOf } from '../../result/exit-code.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { kindOf, renderAny } from '../report.ts';
import { readOptions, type OptionsOf } from './options.ts';

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

/** A result that the caller gives, brought to the newest version. Throws a usage error, `not_comparable` for another version, that begins with its name. */
export function requireResult(name: string, given: unknown): Result {
  return requireDocument(name, checkDocument(given, resultKind, resultSchema));
}

const renderShape = {
  /** Default: `'terminal'`. Which kind of document has which formats: `chat-load report --help`. */
  format: z.enum(formats).optional(),
  /** The columns of a text. Default: 80. */
  width: z.int().min(1).optional(),
};
export type RenderOptions = OptionsOf<typeof renderShape>;

/** Renders a document as `chat-load report` does, without colours. Throws a usage error for what is no document, and for a format that it does not have. */
export function renderGiven(given: Documents[Kind], options: RenderOptions): Promise<string> {
  const { format = 'terminal', width = 80 } = readOptions('renderDocument', options, renderShape);
  return renderKind(kindOf(given), given, { format, style: { width, colors: picocolors.createColors(false) } });
}

async function renderKind<Each extends Kind>(
  kind: Each,
  given: Documents[Each],
  rendering: Parameters<typeof renderAny>[2],
): Promise<string> {
  const name = 'The document given to renderDocument';
  const document: Documents[Each] = requireDocument(name, checkDocument(given, kind, await schemas[kind]()));
  return renderAny(name, document, rendering);
}
