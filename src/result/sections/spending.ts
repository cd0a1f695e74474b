import { z } from 'zod';
import type { Plan } from '../../plan/plan.ts';
import type { Counters } from '../../record/counters.ts';
import { count } from '../../base/field.ts';

export const spendingSchema = z.object({
  turns: count('Messages sent, including retries: what maxTurns limits'),
  sessions: count('Creations sent, including retries: what maxSessions limits'),
  cost: z
    .number()
    .min(0)
    .nullable()
    .describe("What replies cost, in the scenario's currency, to a millionth; null where the scenario does not say"),
});
type SpendingSection = z.infer<typeof spendingSchema>;

/** What a run used up, the warm-up included. */
export function buildSpending({ exchanges, spending }: Counters, { cost }: Pick<Plan, 'cost'>): SpendingSection {
  return {
    turns: exchanges.attempts,
    sessions: exchanges.createAttempts,
    cost: cost === null ? null : spending.costMillionths / 1e6,
  };
}
