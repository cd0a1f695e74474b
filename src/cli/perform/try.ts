import { nextStep } from '../../app/try/next-command.ts';
import { performTry } from '../../app/try/perform-try.ts';
import { judgeContact, type ContactVerdict } from '../../conformance/contact/contact.ts';
import { flagsOfPlan } from '../../plan/overlay.ts';
import { renderContact } from '../../report/contact/render-contact.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { endWithVerdict } from '../console/report-error.ts';
import { withStatus } from '../console/screen.ts';
import { stdout } from '../console/terminal.ts';
import { settleGivenOr } from './without-file.ts';

/** Scenario of a conversation without a file; flags and environment set the target. */
const ownScenario: Scenario = {
  name: 'try',
  sessions: 1,
  messages: ['Hello! Please introduce yourself in two sentences.'],
};

export async function tryService(
  args: { scenario: string | undefined } & Readonly<Record<string, unknown>>,
): Promise<number> {
  const settled = await settleGivenOr(args, { author: ownScenario, name: 'the conversation' });
  const { plan } = settled;
  const { scenario } = args;
  const start = process.env['npm_lifecycle_event'] === 'npx' ? ['npx', 'chat-load'] : ['chat-load'];
  const shown = flagsOfPlan(plan);
  const unshown = scenarioOptions.flatMap(({ flag }) =>
    flag === undefined || args[flag] === undefined || flag in shown ? [] : [`--${flag}`],
  );
  return endWithVerdict(true, () =>
    withStatus('trying', ['Stopping: the exchanges so far are shown.'], async (status, stops) => {
      status.notify(plan.target.baseUrl ?? 'the embedded service');
      const contact = await performTry({ settled, stops, note: status.note });
      status.stop();
      stdout.line(renderContact(contact, nextStep(contact, { plan, scenario, start, unshown }), stdout));
      const signal = stops.signal();
      return signal === undefined ? exitCodes[judgeContact(contact)] : signalExitCodes[signal];
    }),
  );
}

const exitCodes: Readonly<Record<ContactVerdict, number>> = { usable: 0, unusable: 1, unreachable: 3 };
