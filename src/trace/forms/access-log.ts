import { logTimes } from '../read-time.ts';
import { timeIn, sessionIn, tokensIn, type TraceForm } from './form.ts';

/** The fields of a line, in their order. */
export const logFields = [
  'host',
  'identity',
  'user',
  'time',
  'request',
  'status',
  'bytes',
  'referer',
  'userAgent',
] as const;

/** Access logs in the common or the combined log format: `host identity user [time] "request" status bytes ...`. */
export const accessLog: TraceForm = ({ lines, columns }) => {
  const first = fieldsIn(lines[0]);
  if (logTimes.read(first[logFields.indexOf('time')]) === undefined) return undefined;
  const placeOf = (name: string | undefined): number => (name === undefined ? -1 : placeIn(name));
  const [session, input, output] = [columns?.session, columns?.inputTokens, columns?.outputTokens].map(placeOf);
  return {
    form: 'access-log',
    times: logTimes.format,
    hasHeader: false,
    isUnordered: true,
    read: (line) => {
      const fields = fieldsIn(line);
      const at = (place: number | undefined): string | undefined => (place === undefined ? undefined : fields[place]);
      return [
        {
          atMs: timeIn(logTimes.read, fields[logFields.indexOf('time')], 'time'),
          session: sessionIn(at(session)),
          inputTokens: tokensIn(at(input), 'inputTokens'),
          outputTokens: tokensIn(at(output), 'outputTokens'),
          replyMs: null,
          waitMs: null,
        },
      ];
    },
  };
};

/** Returns the position of a field by its name or, for fields that a server appends, by its number from 1. */
function placeIn(name: string): number {
  const place = logFields.findIndex((each) => each === name);
  return place === -1 && /^\d{1,2}$/.test(name) ? Number(name) - 1 : place;
}

/** Reports whether a name is one of the fields of a line. */
export function isLogField(name: string): boolean {
  return placeIn(name) >= 0;
}

/** Matches a field in brackets, in quotes, or up to the next blank, in linear time. */
const field = /\[([^\]]*)\]?|"([^"\\]*(?:\\(?:[^]|$)[^"\\]*)*)"?|([^ ]+)/g;

const fieldsIn = (line: string): readonly string[] =>
  Array.from(line.matchAll(field), ([, inBrackets, inQuotes, plain = '']) => inBrackets ?? inQuotes ?? plain);
