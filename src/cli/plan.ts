import { ChatLoadError } from '../base/errors.ts';
import type { Ms } from '../base/time.ts';
import type { Command } from './command.ts';
import { takeFlags } from './flags.ts';
import { printDocument } from './print-document.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { takePromptFlags, type PromptArguments } from './prompt-flags.ts';
import { takeOptionalScenario } from './scenario-flags.ts';

interface PlanArguments extends PromptArguments {
  scenario?: string | undefined;
  replyTime?: string | undefined;
  preview: number;
  json: boolean;
}

export const planCommand: Command<PlanArguments> = {
  builder: (yargs) =>
    takeFlags(takePromptFlags(takeOptionalScenario(yargs)), 'json')
      .option('reply-time', {
        type: 'string',
        requiresArg: true,
        describe: 'Assume that a reply takes this long, such as 800ms',
      })
      .option('preview', {
        type: 'number',
        default: 2,
        requiresArg: true,
        describe: 'Number of sessions whose messages are shown',
      })
      .example('$0 plan scenarios/peak.ts', 'Sessions, turns, schedule and peak concurrency')
      .example('$0 plan scenarios/soak.ts --rate 20 --reply-time 2s', 'How many sessions would be live at 20/s?'),
  handler: async (args) => {
    if (!Number.isInteger(args.preview) || args.preview < 0)
      throw new ChatLoadError('usage', {
        message: '--preview takes a number of sessions to show.',
        hint: 'Give a whole number, 0 for none.',
      });
    const { settleScenario } = await import('./scenario-arguments.ts');
    const { viewPlan } = await import('../app/plan-view.ts');
    const { withScenario } = await import('./without-file.ts');
    const settled = await settleScenario(await withScenario({ ...args }, { command: 'plan', sendsNothing: true }));
    const replyMs = args.replyTime === undefined ? undefined : readReplyTime(args.replyTime);
    const view = await viewPlan(settled, { replyMs, preview: args.preview });
    await printDocument(view, args.json ? 'json' : 'terminal');
  },
};

const readReplyTime = (text: string): Ms => readDurationFlag(text, { flag: '--reply-time', example: '800ms or 2s' });
