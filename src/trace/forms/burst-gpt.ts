import { unitTimes } from '../read-time.ts';
import { readCsvColumns } from './csv-columns.ts';
import { hasColumns } from './csv-form.ts';
import { lengthIn, type TraceForm } from './form.ts';

const own = {
  at: 'Timestamp',
  session: 'Session ID',
  inputTokens: 'Request tokens',
  outputTokens: 'Response tokens',
};

/** BurstGPT: CSV with `Timestamp` in seconds; later releases also have `Session ID` and `Elapsed time`. */
export const burstGpt: TraceForm = (head) =>
  hasColumns(head, ['timestamp', 'request tokens', 'response tokens'])
    ? readCsvColumns(head, {
        form: 'burstgpt',
        own,
        times: unitTimes('s'),
        replyMs: (field) => lengthIn(field('Elapsed time'), 1000),
      })
    : undefined;
