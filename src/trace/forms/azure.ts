import { isoTimes } from '../read-time.ts';
import { readCsvColumns } from './csv-columns.ts';
import { hasColumns } from './csv-form.ts';
import type { TraceForm } from './form.ts';

const own = { at: 'TIMESTAMP', inputTokens: 'ContextTokens', outputTokens: 'GeneratedTokens' };

/** Azure LLM inference traces of 2023 and 2024: CSV of `TIMESTAMP,ContextTokens,GeneratedTokens`, a request a line. */
export const azure: TraceForm = (head) =>
  hasColumns(head, ['timestamp', 'contexttokens', 'generatedtokens'])
    ? readCsvColumns(head, { form: 'azure', own, times: isoTimes })
    : undefined;
