import { unknownName } from '../../base/unknown-name.ts';
import { accessLog, isLogField, logFields } from './access-log.ts';
import { azure, burstGpt, csvByColumns, jsonlByColumns } from './by-columns.ts';
import { hasColumns, namesIn, type LineReader, type TraceForm, type TraceHead, objectIn } from './form.ts';
import { mooncake } from './mooncake.ts';
import { openTelemetry } from './open-telemetry.ts';

/** Self-describing forms. */
const published: readonly TraceForm[] = [mooncake, burstGpt, azure, openTelemetry, accessLog];
/** Forms with named columns: known ones, with their own columns, and any. */
const mapped: readonly TraceForm[] = [mooncake, burstGpt, azure, accessLog, csvByColumns, jsonlByColumns];

/** Begins the problem of a file that is not a trace in any known form. */
export const unknownForm = 'its form is not known: ';

const knownForms =
  'Known traces are Mooncake, BurstGPT, Azure LLM inference, OpenTelemetry spans and access logs; for other CSV and JSONL name the columns, such as load: { trace, columns: { at: "time", session: "user" } } in a scenario, --columns at=time,session=user with fit. docs/reference/traces.md describes each form.';

const columnsRemedy = 'load: { trace, columns: { at } } in a scenario, --columns at=time with fit';

/** Detects the form of a trace from its beginning, or from the columns that are named for it. */
export function recognizeForm(head: TraceHead): LineReader | { problem: string; remedy: string } {
  const { columns } = head;
  const forms = columns === undefined ? published : mapped;
  const wrong = columns && wrongColumn(head);
  if (wrong !== undefined) return { problem: wrong, remedy: `Name columns of the file: ${columnsRemedy}.` };
  for (const form of forms) {
    const reader = form(head);
    if (reader !== undefined) return reader;
  }
  const fields = fieldsOf(head);
  const at = columns?.at;
  if (columns !== undefined && at === undefined)
    return {
      problem: 'its columns do not name the column of the times, and its form has no default',
      remedy: `Name the column of the times: ${columnsRemedy}.`,
    };
  if (at !== undefined && fields !== undefined)
    return {
      problem: `its first ${at} is not a time: neither ISO 8601, nor the format of access logs, nor a number from 0 on`,
      remedy: `Name the column of the times: ${columnsRemedy}. Of CSV, a row is one line: no line breaks in quotes.`,
    };
  const seen = fields === undefined ? 'its first line is neither CSV nor JSON' : `it has the fields ${listed(fields)}`;
  return { problem: `${unknownForm}${seen}`, remedy: knownForms };
}

/** Reports a named column that does not exist. JSON may omit fields, so only the time column is checked. */
function wrongColumn(head: TraceHead): string | undefined {
  const { columns, lines } = head;
  if (columns === undefined) return undefined;
  const { at, session, inputTokens, outputTokens } = columns;
  const names = [at, session, inputTokens, outputTokens].filter((name) => name !== undefined);
  const object = objectIn(lines[0]);
  if (object !== undefined) {
    if (at === undefined) return undefined;
    const isThere = Object.hasOwn(object, at) || Object.hasOwn(object, at.split('.')[0] ?? '');
    return isThere ? undefined : unknownName('field', at, Object.keys(object));
  }
  if (accessLog(head) !== undefined) {
    const missing = names.find((name) => !isLogField(name));
    return missing === undefined ? undefined : unknownName('field of access logs', missing, logFields);
  }
  const missing = names.find((name) => !hasColumns(head, [name.toLowerCase()]));
  return missing === undefined ? undefined : unknownName('column', missing, fieldsOf(head) ?? []);
}

function fieldsOf({ lines: [first] }: TraceHead): readonly string[] | undefined {
  const object = objectIn(first);
  if (object !== undefined) return Object.keys(object);
  try {
    const names = namesIn(first);
    return names.length > 1 ? names : undefined;
  } catch {
    return undefined;
  }
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${String(names.length - 12)} more` : ''}`;
