import { z } from 'zod';
import type { PlanView } from '../../report/plan/plan-document.ts';
import { duration } from '../../scenario/duration.ts';
import type { DataLists, Scenario } from '../../scenario/scenario.ts';
import { viewPlan } from '../plan-view.ts';
import { readOptions, type OptionsOf } from './options.ts';
import { settleGiven, settingShape } from './settle-given.ts';

const planShape = {
  ...settingShape,
  /** How long a reply is taken to be, such as `'800ms'`. Default: the embedded service's own, else a second. */
  replyTime: duration.optional(),
  /** Number of sessions whose messages are shown. Default: 2. */
  preview: z.int().min(0).optional(),
};
export type PlanOptions = OptionsOf<typeof planShape>;

/** What a run of a scenario would do, without sending anything. Rejects with a usage error as `runScenario` does. */
export async function planScenario<Lists extends DataLists>(
  scenario: Scenario<Lists>,
  options: PlanOptions = {},
): Promise<PlanView> {
  const { replyTime: replyMs, preview, ...settings } = readOptions('planScenario', options, planShape);
  return viewPlan(await settleGiven(scenario, settings), { replyMs, preview });
}
