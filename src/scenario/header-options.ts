import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { truth } from './closed-object.ts';
import { defaulted, noted } from './option.ts';
import type { HeaderValue } from './scenario-values.ts';

const headers = z.custom<Readonly<Record<string, HeaderValue>>>(isObject, {
  error: "expected an object of names and values, such as { 'X-Tenant': 'acme' }",
});

/** Request headers besides the protocol's own. */
export const headerShape = {
  headers: noted(headers.prefault({}), {
    meaning:
      "Headers of every request, such as `{ 'X-Tenant': '{{pick customers.tenant}}' }`: templates or functions, rendered once per session, or once per turn if they use the turn (0 for the creation). Results show their names, never their values.",
    type: 'Readonly<Record<string, HeaderValue>>',
    limits: 'names of HTTP header fields; texts of Latin-1 characters',
    without: 'none',
    flag: 'header',
    flagMeaning:
      "Header of every request, 'Name: value', may be a template; repeat for several. Added to the scenario's headers",
    takes: 'lines',
    adds: withLines,
    content: true,
  }),
  trace: defaulted(truth, {
    meaning: 'Sends a new W3C `traceparent` with every attempt; the result contains the trace ID of every example.',
    default: false,
    plan: 'trace',
    flag: 'trace',
    takes: 'switch',
  }),
  cookies: defaulted(truth, {
    meaning: 'Keeps the cookies set by the service, separately for each session, and sends them back.',
    default: false,
    plan: 'cookies',
    flag: 'cookies',
    takes: 'switch',
  }),
};

/** Returns a file's headers with those of `Name: value` lines, which replace headers of the same name. A line without a colon has an empty name. */
function withLines(file: unknown, lines: readonly unknown[]): unknown {
  if (file !== undefined && !isObject(file)) return file;
  const given = lines.map((each) => {
    // Library callers can pass anything; a value that is not a line is rejected because it has no name.
    const line = typeof each === 'string' ? each : '';
    const colon = line.indexOf(':');
    return colon === -1 ? (['', ''] as const) : ([line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const);
  });
  const named = new Set(given.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(file ?? {}).filter(([name]) => !named.has(name.toLowerCase()));
  const values = new Map<string, unknown>(kept);
  // Keeps both values of a repeated name: it is rejected with its name.
  for (const [name, value] of given) values.set(name, values.has(name) ? [values.get(name), value] : value);
  return Object.fromEntries(values);
}
