import { isoTimes } from '../read-time.ts';
import { csvReader, hasColumns, timeIn } from './csv-form.ts';
import { tokensIn, type TraceForm } from './form.ts';

/** Azure LLM inference traces of 2023 and 2024: CSV of `TIMESTAMP,ContextTokens,GeneratedTokens`, a request a line. */
export const azure: TraceForm = (head) =>
  hasColumns(head, ['timestamp', 'contexttokens', 'generatedtokens'])
    ? csvReader(head, { form: 'azure', times: isoTimes.words, isUnordered: false }, (field) => ({
        atMs: timeIn(isoTimes.read, field('TIMESTAMP'), 'TIMESTAMP'),
        session: null,
        inputTokens: tokensIn(field('ContextTokens'), 'ContextTokens'),
        outputTokens: tokensIn(field('GeneratedTokens'), 'GeneratedTokens'),
        replyMs: null,
        waitMs: null,
      }))
    : undefined;
