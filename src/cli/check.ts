import { dirname } from 'node:path';
import { ChatLoadError } from '../base/errors.ts';
import { printableJson } from '../base/printable.ts';
import type { Ms } from '../base/time.ts';
import type { CheckDocument } from '../conformance/check-document.ts';
import type { Rule } from '../conformance/rule.ts';
import { rules } from '../conformance/rules.ts';
import { prepareFolder, writeWhole } from '../edge/disk/write-result.ts';
import { settle, type Settled } from '../plan/settle.ts';
import { renderCheck, renderCheckJunit } from '../report/check/render-check.ts';
import { unknownName } from '../base/unknown-name.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { questions } from '../protocol/chat-messaging/questions.ts';
import type { Needs } from '../app/check/check-subject.ts';
import type { Command } from './command.ts';
import { performCheck } from '../app/check/perform-check.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { settleScenario, takeOverrides } from './scenario-arguments.ts';
import { stdout } from './terminal.ts';

interface CheckArguments {
  scenario?: string | undefined;
  'chat-off-agent'?: string | undefined;
  variable?: string | undefined;
  remember: string;
  recall: string;
  pause?: string | undefined;
  only?: string[] | undefined;
  junit?: string | undefined;
  json: boolean;
}

const wrongKindName = 'CHAT_LOAD_WRONG_KIND_KEY';

export const checkCommand: Command<CheckArguments> = {
  builder: (yargs) =>
    takeOverrides(yargs, ({ group }) => group === 'target')
      .positional('scenario', {
        type: 'string',
        describe: 'A scenario whose target, timeouts and values are used; without any base URL, the embedded service',
      })
      .option('chat-off-agent', {
        type: 'string',
        requiresArg: true,
        describe: 'An agent of the account with chat turned off',
      })
      .option('variable', {
        type: 'string',
        requiresArg: true,
        describe: 'A variable that the agent’s instructions reference: name, or name=value',
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
      .option('junit', { type: 'string', requiresArg: true, describe: 'Write the findings to a JUnit XML file' })
      .option('json', { type: 'boolean', default: false, describe: 'Print only the findings, as JSON' })
      .epilogue(
        `Keys come from the environment: CHAT_LOAD_API_KEY, and one of the wrong type in ${wrongKindName}. ` +
          'Exit codes: 0 every rule tried is kept (or warned of), 1 one is not, 2 usage, 3 target unreachable or key refused, 4 no rule could be tried.',
      )
      .example('$0 check', 'The embedded service: every rule')
      .example(
        '$0 check --base-url https://a.example --allow-host a.example',
        'Your own service; CHAT_LOAD_API_KEY and CHAT_LOAD_AGENT_ID are set',
      )
      .example('$0 check scenarios/peak.ts --chat-off-agent agent-chat-off', 'Sessions created as in the scenario')
      .example('$0 check --variable customerName=Ada-7391 --junit check.xml', 'Variables too, and a file for CI')
      .example('$0 check --only memory --only two-at-once', 'Two rules only'),
  handler: async (args) => {
    const chosen = chooseRules(args.only);
    const needs = needsOf(args);
    const pauseMs = args.pause === undefined ? undefined : readPause(args.pause);
    const settled = await settleCheck(args);
    if (args.junit !== undefined) await prepareFolder(dirname(args.junit));
    const check = await performCheck({ settled, scenario: args.scenario, needs, rules: chosen, pauseMs });
    if (args.junit !== undefined) await writeWhole(args.junit, renderCheckJunit(check));
    stdout.line(args.json ? printableJson(check, 2) : renderCheck(check, stdout));
    process.exitCode = exitCodeOf(check);
  },
};

/** Where no scenario is given: its target is what flags and environment say. */
const ownScenario: Scenario = { name: 'check', sessions: 1, messages: ['Hello.'] };

async function settleCheck({ scenario, ...flags }: CheckArguments): Promise<Settled> {
  if (scenario !== undefined) return settleScenario({ ...flags, scenario });
  return settle(ownScenario, { flags: { ...flags }, environment: process.env }, 'the check');
}

function chooseRules(only: readonly string[] | undefined): readonly Rule[] {
  if (only === undefined) return rules;
  const known = rules.map(({ id }) => id);
  const unknown = only.find((id) => !known.includes(id));
  if (unknown !== undefined) throw usage(`--only: ${unknownName('rule', unknown, known)}`, 'Nothing was sent.');
  return rules.filter(({ id }) => only.includes(id));
}

function needsOf(args: CheckArguments): Needs {
  const { remember, recall } = args;
  if (!remember.includes('{{code}}'))
    throw usage(
      '--remember does not contain {{code}}.',
      'Say where the code goes, as in --remember "My code is {{code}}".',
    );
  return {
    chatOffAgentId: args['chat-off-agent'],
    wrongKindKey: readWrongKindKey(process.env[wrongKindName]),
    variable: readVariable(args.variable),
    words: { remember: (code) => remember.replaceAll('{{code}}', code), recall },
  };
}

/** What an HTTP header can carry; the key itself is not told. */
function readWrongKindKey(key: string | undefined): string | undefined {
  if (key === undefined || key === '' || /^[\x21-\x7e]+$/.test(key)) return key === '' ? undefined : key;
  throw usage(
    `${wrongKindName} contains a character that an HTTP header cannot carry.`,
    'Often it is a line break from a file.',
  );
}

function readVariable(text: string | undefined): Needs['variable'] {
  if (text === undefined) return undefined;
  const at = text.indexOf('=');
  const [name, value] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (name !== '' && value !== '') return { name, value };
  throw usage(`--variable takes a name, or name=value, not '${text}'.`, 'Give one such as customerName=Ada-7391.');
}

const readPause = (text: string): Ms =>
  readDurationFlag(text, { flag: '--pause', mostMs: 60_000, range: 'from 0s to 1m', example: '500ms' });

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });

/** 1 a rule is not kept, 4 none could be tried, which says nothing, else 0. */
function exitCodeOf({ counts }: CheckDocument): number {
  if (counts.failed > 0) return 1;
  return counts.tried === 0 ? 4 : 0;
}
