import type { CheckDocument } from '../conformance/check-document.ts';
import { prepareFile, writeWhole } from '../edge/disk/write-result.ts';
import { questions } from '../protocol/chat-messaging/questions.ts';
import type { Command } from './command.ts';
import { takeFlags } from './flags.ts';
import { performCheck } from '../app/check/perform-check.ts';
import { refuseUnfit, needsOf, readPause, settleCheck, wrongKindName, type CheckArguments } from './check-arguments.ts';
import { documentText, printDocument } from './print-document.ts';
import { takeOverrides } from './scenario-flags.ts';

export const checkCommand: Command<CheckArguments> = {
  builder: (yargs) =>
    takeFlags(
      takeOverrides(
        yargs.positional('scenario', {
          type: 'string',
          describe: 'A scenario whose target, timeouts and values are used; without any base URL, the embedded service',
        }),
        // Replies are asked for both ways; with --stream, streams are required.
        ({ group }) => group === 'target',
      ),
      'junit',
      'json',
    )
      .option('chat-off-agent', {
        type: 'string',
        requiresArg: true,
        describe: 'An agent of the account with chat turned off (chat-messaging)',
      })
      .option('variable', {
        type: 'string',
        requiresArg: true,
        describe: 'A variable that the agent’s instructions reference: name, or name=value (chat-messaging)',
      })
      .option('remember', {
        type: 'string',
        default: questions.remember('{{code}}'),
        requiresArg: true,
        describe: 'How the agent is asked to remember a code, {{code}}',
      })
      .option('recall', {
        type: 'string',
        default: questions.recall,
        requiresArg: true,
        describe: 'How the agent is asked for it, one message later',
      })
      .option('pause', {
        type: 'string',
        requiresArg: true,
        describe: 'The wait before every exchange [200ms; embedded service 0s]',
      })
      .option('only', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'Try only this rule; may be repeated',
      })
      .epilogue(
        `Keys come from the environment: CHAT_LOAD_API_KEY, and one of the wrong type in ${wrongKindName}. ` +
          'Exit codes: 0 every required rule that was tried is kept; 1 one is not; 2 usage; 3 the target cannot be reached, the key was refused, or a file cannot be written; ' +
          '4 no rule could be tried; 70 a bug; 129, 130, 143 a signal.',
      )
      .example('$0 check', 'The embedded service: every rule')
      .example(
        '$0 check --url https://a.test --agent-id NAME --allow-host a.test',
        'Your own service; CHAT_LOAD_API_KEY is set',
      )
      .example('$0 check scenarios/peak.ts --chat-off-agent agent-chat-off', 'Sessions created as in the scenario')
      .example('$0 check --variable customerName=Ada-7391 --junit check.xml', 'Variables too, and a file for CI')
      .example('$0 check --only memory --only two-at-once', 'Two rules only')
      .example('$0 check --protocol anthropic-messages', 'The embedded service by the rules of another API')
      .example(
        '$0 check --url http://localhost:8000/v1 --model NAME',
        'A model of this machine, by the rules of its protocol',
      ),
  handler: async (args) => {
    const needs = needsOf(args);
    const pauseMs = readPause(args.pause);
    const settled = await settleCheck(args);
    refuseUnfit(args, settled);
    if (args.junit !== undefined) await prepareFile(args.junit, '--junit');
    const check = await performCheck({ settled, scenario: args.scenario, needs, only: args.only, pauseMs });
    if (args.junit !== undefined) await writeWhole(args.junit, `${await documentText(check, 'junit')}\n`);
    await printDocument(check, args.json ? 'json' : 'terminal');
    process.exitCode = exitCodeOf(check);
  },
};

/** 1 a rule is not kept, 4 none could be tried, else 0. */
function exitCodeOf({ counts }: CheckDocument): number {
  if (counts.failed > 0) return 1;
  return counts.tried === 0 ? 4 : 0;
}
