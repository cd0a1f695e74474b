import { z } from 'zod';
import { text } from '../../base/field.ts';

export const warningSchema = z.object({
  code: text('A stable name'),
  message: text('What was seen'),
  remedy: z.string().nullable().describe('What to do about it; null when there is nothing to do'),
});
/** A doubt about a figure, or useful information, that does not invalidate the run. */
export type Warning = z.infer<typeof warningSchema>;
