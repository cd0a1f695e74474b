import { z } from 'zod';
import { ms } from '../../base/time.ts';
import type { PlanView } from '../../report/plan/plan-document.ts';
import type { DataLists, Scenario } from '../../scenario/scenario.ts';
import { viewPlan } from '../plan-view.ts';
import { checkOptions, settingShape } from './check-options.ts';
import { settleGiven, type ScenarioSettings } from './settle-given.ts';

export interface PlanOptions extends ScenarioSettings {
  /** How long a reply is taken to be, in milliseconds. Default: the embedded service's own, else a second. */
  replyMs?: number | undefined;
  /** Number of sessions whose messages are shown. Default: 2. */
  preview?: number | undefined;
}

const planShape = {
  ...settingShape,
  replyMs: z.number().min(0).optional(),
  preview: z.int().min(0).optional(),
} satisfies Record<keyof PlanOptions, z.ZodType>;

/** What a run of a scenario would do, without sending anything. Rejects with a usage error as `runScenario` does. */
export async function planScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: PlanOptions = {},
): Promise<PlanView> {
  checkOptions('planScenario', options, planShape);
  const { replyMs, preview } = options;
  const settled = await settleGiven(scenario, options);
  return viewPlan(settled, { replyMs: replyMs === undefined ? undefined : ms(replyMs), preview });
}
