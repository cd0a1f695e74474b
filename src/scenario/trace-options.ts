import { z } from 'zod';
import { traceUnits, type OpenedTrace } from '../trace/trace.ts';
import { closedObject } from './closed-object.ts';
import { duration, positiveDuration } from './duration.ts';
import { assumed, option } from './option.ts';

/** A trace as read: opened, or the file that it is still in. */
export type ReadTrace = { file: string } | { opened: OpenedTrace };

/** An opened trace in the place of its file: a function, which copies of a scenario leave as it is. */
export type TraceInPlace = () => OpenedTrace;

const trace = z
  .custom<string>((value) => (typeof value === 'string' && value !== '') || typeof value === 'function', {
    error: 'expected the path of a trace',
  })
  .transform((value: unknown): ReadTrace =>
    typeof value === 'string' ? { file: value } : { opened: (value as TraceInPlace)() },
  );

const column = z.string({ error: 'expected the name of a column' }).min(1);

/** Which columns of a trace say what. */
export const traceColumnsShape = {
  at: option(column, {
    meaning: 'When a request came: ISO 8601, the time of an access log, or a number in `unit`.',
    without: 'that of the form, where it is recognized',
  }),
  session: option(column, {
    meaning: 'The conversation that a request belongs to; without it, each is a session of one turn.',
  }),
  inputTokens: option(column, { meaning: 'The tokens of a request.' }),
  outputTokens: option(column, { meaning: 'The tokens of its reply.' }),
  unit: option(z.enum(traceUnits), {
    meaning: 'The unit of times that are numbers.',
    without: 'told from the first time: since 1970 by its size, else seconds since the start',
  }),
};

export const traceColumns = closedObject(traceColumnsShape);

/** The options of a trace that is replayed. */
export const traceShape = {
  trace: option(trace, {
    type: 'string',
    meaning:
      'Open load as it was recorded: a file of requests with their times, beside the scenario. Mooncake, BurstGPT, Azure LLM inference, OpenTelemetry spans and access logs are recognized; others are read by `columns`.',
    content: true,
  }),
  speed: assumed(z.number().gt(0).max(1e6), {
    meaning: 'With a trace: how much faster than recorded.',
    default: 1,
  }),
  from: assumed(duration, {
    meaning: 'With a trace: where it begins, in the time of the trace.',
    default: '0s',
  }),
  for: option(positiveDuration, {
    meaning: 'With a trace: how much of it is replayed, in the time of the trace.',
    without: 'to its end',
  }),
  columns: option(traceColumns, {
    type: 'TraceColumnOptions',
    meaning: "With a trace: which columns say what, such as `{ at: 'time', session: 'user' }`.",
  }),
  sort: assumed(z.boolean({ error: 'expected true or false' }), {
    meaning: 'With a trace: sorts lines that are out of order in time, which are refused otherwise.',
    default: false,
  }),
};
