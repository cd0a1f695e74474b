import { ChatLoadError } from '../base/errors.ts';
import { unknownName } from '../base/unknown-name.ts';
import { traceUnits, type TraceColumns } from '../trace/trace.ts';

const names = ['at', 'session', 'inputTokens', 'outputTokens', 'unit'] as const;

/** Reads `at=time,session=user`. Throws a usage error where it says something else. */
export function readColumns(text: string): TraceColumns {
  const entries = text.split(',').map((entry) => {
    const [name = '', ...column] = entry.split('=');
    return [name.trim(), column.join('=').trim()] as const;
  });
  const unknown = entries.find(([name]) => !names.some((known) => known === name));
  if (unknown !== undefined) throw misread(`--columns: ${unknownName('name', unknown[0], names)}`);
  const empty = entries.find(([, column]) => column === '');
  if (empty !== undefined) throw misread(`--columns names no column for ${empty[0]}.`);
  const { unit, ...others } = Object.fromEntries(entries) as Partial<Record<(typeof names)[number], string>>;
  const known = traceUnits.find((each) => each === unit);
  if (unit !== undefined && known === undefined) throw misread(`--columns: ${unknownName('unit', unit, traceUnits)}`);
  return { ...others, ...(known === undefined ? {} : { unit: known }) };
}

const misread = (message: string): ChatLoadError =>
  new ChatLoadError('usage', { message, hint: 'Write it as --columns at=time,session=user,unit=ms.' });
