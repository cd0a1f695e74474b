import { checkDocument } from '../../edge/disk/parse-document.ts';
import { requireDocument } from '../../edge/disk/read-result.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';

/** A result that the caller gives, brought to the newest version. Throws a usage error, `not_comparable` for another version, that begins with its name. */
export function requireResult(name: string, given: unknown): Result {
  return requireDocument(name, checkDocument(given, resultKind, resultSchema));
}
