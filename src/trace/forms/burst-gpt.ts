import { unitTimes } from '../read-time.ts';
import { csvReader, hasColumns, timeIn } from './csv-form.ts';
import { lengthIn, sessionIn, tokensIn, type TraceForm } from './form.ts';

const times = unitTimes('s');

/** BurstGPT: CSV with `Timestamp` in seconds; later releases also have `Session ID` and `Elapsed time`. */
export const burstGpt: TraceForm = (head) =>
  hasColumns(head, ['timestamp', 'request tokens', 'response tokens'])
    ? csvReader(head, { form: 'burstgpt', times: times.words, isUnordered: false }, (field) => ({
        atMs: timeIn(times.read, field('Timestamp'), 'Timestamp'),
        session: sessionIn(field('Session ID')),
        inputTokens: tokensIn(field('Request tokens'), 'Request tokens'),
        outputTokens: tokensIn(field('Response tokens'), 'Response tokens'),
        replyMs: lengthIn(field('Elapsed time'), 1000),
        waitMs: null,
      }))
    : undefined;
