import { viewPlan } from '../../app/plan-view.ts';
import { printDocument } from '../console/deliver.ts';
import type { Given } from '../parser/options.ts';
import { resolveScenarioFile, withScenario } from './resolve-scenario-file.ts';

type PlanArguments = Given<'prompts'> & Given<'plan'> & { scenario: string | undefined };

export async function planRun({ 'reply-time': replyMs, ...args }: PlanArguments): Promise<void> {
  const resolved = await resolveScenarioFile(await withScenario(args, { command: 'plan', sendsNothing: true }));
  const view = await viewPlan(resolved, { replyMs, preview: args.preview });
  await printDocument(view, args.json ? 'json' : 'terminal');
}
