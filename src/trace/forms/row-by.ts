import type { TimeReader } from '../read-time.ts';
import type { TraceColumns, TraceRow } from '../trace.ts';
import { timeIn } from './csv-form.ts';
import { sessionIn, tokensIn } from './form.ts';

/** A request by the columns that have it. Throws an `Error` for a field that is not what its column says. */
export function rowBy(
  { at, session, inputTokens, outputTokens }: TraceColumns & { at: string },
  times: TimeReader,
  field: (name: string) => unknown,
): TraceRow {
  return {
    atMs: timeIn(times.read, field(at), at),
    session: session === undefined ? null : sessionIn(field(session)),
    inputTokens: inputTokens === undefined ? null : tokensIn(field(inputTokens), inputTokens),
    outputTokens: outputTokens === undefined ? null : tokensIn(field(outputTokens), outputTokens),
    replyMs: null,
    waitMs: null,
  };
}
