import { performTry } from '../app/try/perform-try.ts';
import { nextStep } from '../app/try/next-command.ts';
import { judgeContact, type ContactVerdict } from '../conformance/contact/contact.ts';
import { flagsOfPlan } from '../plan/given-options.ts';
import type { Settled } from '../plan/settle.ts';
import { renderContact } from '../report/contact/render-contact.ts';
import { scenarioOptions } from '../scenario/scenario-options.ts';
import { signalExitCodes } from '../result/exit-code.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Command } from './command.ts';
import { endWithVerdict } from './end-with-verdict.ts';
import { openStatus } from './open-status.ts';
import { settleScenario } from './scenario-arguments.ts';
import { takeOverrides } from './scenario-flags.ts';
import { takeSignals } from './signals.ts';
import { stdout } from './terminal.ts';
import { settleOwn } from './without-file.ts';

interface TryArguments {
  scenario?: string | undefined;
}

export const tryCommand: Command<TryArguments> = {
  builder: (yargs) =>
    takeOverrides(
      yargs.positional('scenario', {
        type: 'string',
        describe:
          'A scenario whose target, first message and variable values are used; without any base URL, the embedded service',
      }),
      ({ group, flag }) => group === 'target' || flag === 'timeout',
    )
      .epilogue(
        'Sends one conversation of three turns (the first message, a code to remember, the question for it), one streamed turn more if replies are not streamed, ' +
          'and, if the first reply is not one of the protocol, at most 20 requests that generate nothing, to find the protocol. Nothing is written to a file. ' +
          'Exit codes: 0 it can be loaded; 1 it answers, but not in a way that can be loaded; 2 usage, or the scenario failed; ' +
          '3 it cannot be reached, does not answer, or refuses the key; 70 a bug; 129, 130, 143 a signal.',
      )
      .example('$0 try', 'The embedded service')
      .example('$0 try scenarios/agent.ts', 'The target of a scenario')
      .example(
        '$0 try --url http://localhost:8000/v1 --model NAME --stream',
        'A model; --protocol names its API if it is not found',
      )
      .example(
        '$0 try --url https://a.example --allow-host a.example --agent-id NAME',
        'An agent on another machine; CHAT_LOAD_API_KEY is set',
      ),
  handler: async (args) => {
    const settled = await settleTry(args);
    await endWithVerdict(true, () => tryOnce(settled, args));
  },
};

/** For a conversation without a scenario: flags and environment give the target. */
const ownScenario: Scenario = {
  name: 'try',
  sessions: 1,
  messages: ['Hello! Please introduce yourself in two sentences.'],
};

async function settleTry({ scenario, ...flags }: TryArguments & Readonly<Record<string, unknown>>): Promise<Settled> {
  if (scenario !== undefined) return settleScenario({ ...flags, scenario });
  return settleOwn({ author: ownScenario, name: 'the conversation' }, flags);
}

async function tryOnce(
  settled: Settled,
  { scenario, ...flags }: TryArguments & Readonly<Record<string, unknown>>,
): Promise<void> {
  const start = process.env['npm_lifecycle_event'] === 'npx' ? ['npx', 'chat-load'] : ['chat-load'];
  const shown = flagsOfPlan(settled.plan);
  const unshown = scenarioOptions.flatMap(({ flag }) =>
    flag === undefined || flags[flag] === undefined || flag in shown ? [] : [`--${flag}`],
  );
  const display = openStatus('trying');
  const stops = takeSignals(() => display.note('Stopping: what was seen so far is shown.'));
  try {
    display.notify(settled.plan.target.baseUrl ?? 'the embedded service');
    const contact = await performTry({ settled, stops, note: (text) => display.note(text) });
    display.stop();
    stdout.line(renderContact(contact, nextStep(contact, { plan: settled.plan, scenario, start, unshown }), stdout));
    const signal = stops.signal();
    process.exitCode = signal === undefined ? exitCodes[judgeContact(contact)] : signalExitCodes[signal];
  } finally {
    display.stop();
    stops.release();
  }
}

const exitCodes: Readonly<Record<ContactVerdict, number>> = { usable: 0, unusable: 1, unreachable: 3 };
