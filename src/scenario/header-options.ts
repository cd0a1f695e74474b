import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { defaulted, noted } from './option.ts';
import type { HeaderValue } from './scenario-values.ts';

const headers = z.custom<Readonly<Record<string, HeaderValue>>>(isObject, {
  error: "expected an object of names and values, such as { 'X-Tenant': 'acme' }",
});

/** What requests have in their heads besides what the protocol says. */
export const headerShape = {
  headers: noted(headers.prefault({}), {
    meaning:
      "Header fields of every request, such as `{ 'X-Tenant': '{{pick customers.tenant}}' }`: templates or functions, rendered for a session, or for every turn where they use the turn (0 for the creation). Names are shown in results, values never.",
    type: 'Readonly<Record<string, HeaderValue>>',
    limits: 'names of HTTP header fields; texts of Latin-1 characters',
    without: 'none',
    flag: 'header',
    flagMeaning:
      "A header field of every request, 'Name: value', which may be a template; repeat it for several. Added to those of the scenario.",
    takes: 'lines',
    adds: withLines,
    content: true,
  }),
  trace: defaulted(z.boolean({ error: 'expected true or false' }), {
    meaning: 'Sends a new W3C `traceparent` with every attempt; the trace id of every example is in the result.',
    default: false,
    plan: 'trace',
    flag: 'trace',
    takes: 'switch',
  }),
  cookies: defaulted(z.boolean({ error: 'expected true or false' }), {
    meaning: 'Keeps the cookies that the service sets, for each session its own, and sends them back.',
    default: false,
    plan: 'cookies',
    flag: 'cookies',
    takes: 'switch',
  }),
};

/** The headers of a file with those of lines, `Name: value`, in their place or behind them. A line without a colon is one without a name. */
function withLines(file: unknown, lines: readonly unknown[]): unknown {
  if (file !== undefined && !isObject(file)) return file;
  const given = lines.map((each) => {
    // The library is given anything; a switch, not a line, is refused as what has no name.
    const line = typeof each === 'string' ? each : '';
    const colon = line.indexOf(':');
    return colon === -1 ? (['', ''] as const) : ([line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const);
  });
  const named = new Set(given.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(file ?? {}).filter(([name]) => !named.has(name.toLowerCase()));
  const values = new Map<string, unknown>(kept);
  // One that is given twice keeps both: it is refused with its name.
  for (const [name, value] of given) values.set(name, values.has(name) ? [values.get(name), value] : value);
  return Object.fromEntries(values);
}
