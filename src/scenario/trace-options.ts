import { z } from 'zod';
import { traceInputs, traceUnits, type OpenedTrace } from '../trace/trace.ts';
import { closedObject, truth } from './closed-object.ts';
import { duration, positiveDuration } from './duration.ts';
import { assumed, option } from './option.ts';

/** A trace as read: opened, or its file. */
export type ReadTrace = { file: string } | { opened: OpenedTrace };

/** An opened trace instead of its file: a function, which copies of a scenario do not change. */
export type TraceInPlace = () => OpenedTrace;

const trace = z
  .custom<string>((value) => (typeof value === 'string' && value !== '') || typeof value === 'function', {
    error: 'expected the path of a trace',
  })
  .transform((value: unknown): ReadTrace =>
    typeof value === 'string' ? { file: value } : { opened: (value as TraceInPlace)() },
  );

const column = z.string({ error: 'expected the name of a column' }).min(1);

/** Column mapping of a trace. */
export const traceColumnsShape = {
  at: option(column, {
    meaning: 'Time of a request: ISO 8601, the time format of access logs, or a number in `unit`.',
    without: "the format's column, if the format is recognized",
  }),
  session: option(column, {
    meaning: 'Conversation of a request; without it, each request is a session of one turn.',
  }),
  inputTokens: option(column, { meaning: 'Input tokens of a request.' }),
  outputTokens: option(column, { meaning: 'Output tokens of its reply.' }),
  unit: option(z.enum(traceUnits), {
    meaning: 'Unit of numeric times.',
    without:
      'detected: a unit since 1970 if times are large enough, otherwise seconds since the start; for Mooncake milliseconds, or seconds if times have fractions or are too close for milliseconds',
  }),
  input: option(z.enum(traceInputs), {
    meaning: 'Input tokens of later turns: `whole` conversation so far, or `fresh`: the message alone.',
    without:
      'detected: the whole conversation if the input of every turn of a session contains the previous turn and reply',
  }),
};

export const traceColumns = closedObject(traceColumnsShape);

/** Options of a replayed trace. */
export const traceShape = {
  trace: option(trace, {
    type: 'string',
    meaning:
      'Open load as recorded: a file of requests with their times, next to the scenario. Mooncake, BurstGPT, Azure LLM inference, OpenTelemetry spans and access logs are recognized; others need `columns`.',
    content: true,
  }),
  speed: assumed(z.number().gt(0).max(1e6), {
    meaning: 'With a trace: speed relative to the recording.',
    default: 1,
  }),
  from: assumed(duration, {
    meaning: "With a trace: start of the replayed part, in the trace's time.",
    default: '0s',
  }),
  for: option(positiveDuration, {
    meaning: "With a trace: length of the replayed part, in the trace's time.",
    without: 'to its end',
  }),
  columns: option(traceColumns, {
    type: 'TraceColumnOptions',
    meaning: "With a trace: its column mapping, such as `{ at: 'time', session: 'user' }`.",
  }),
  sort: assumed(truth, {
    meaning: 'With a trace: sorts lines that are out of order in time, which are an error otherwise.',
    default: false,
  }),
};
