import type { Needs } from '../app/check/check-subject.ts';
import { ChatLoadError } from '../base/errors.ts';
import type { Ms } from '../base/time.ts';
import { unknownName } from '../base/unknown-name.ts';
import { ruleSetOf } from '../app/check/rule-sets.ts';
import type { Settled } from '../plan/settle.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { settleScenario } from './scenario-arguments.ts';
import { settleOwn } from './without-file.ts';

export interface CheckArguments {
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

/** The variable that holds a key of the wrong type. */
export const wrongKindName = 'CHAT_LOAD_WRONG_KIND_KEY';

/** For a check without a scenario: flags and environment give the target. */
const ownScenario: Scenario = { name: 'check', sessions: 1, messages: ['Hello.'] };

/** The target by the scenario, or by flags and environment alone. */
export async function settleCheck({ scenario, ...flags }: CheckArguments): Promise<Settled> {
  if (scenario !== undefined) return settleScenario({ ...flags, scenario });
  return settleOwn({ author: ownScenario, name: 'the check' }, { ...flags });
}

/** Throws a usage error for a protocol without rules, a rule of `--only` that it does not have, and what only chat-messaging needs. */
export function refuseUnfit(args: CheckArguments, settled: Settled): void {
  const { rules, description } = ruleSetOf(settled);
  const known = rules.map(({ id }) => id);
  const unknown = args.only?.find((id) => !known.includes(id));
  if (unknown !== undefined) throw usage(`--only: ${unknownName('rule', unknown, known)}`, 'Nothing was sent.');
  const idle = (['chat-off-agent', 'variable'] as const).find((flag) => args[flag] !== undefined);
  if (description !== undefined && idle !== undefined)
    throw usage(
      `--${idle} is for chat-messaging: ${settled.script.protocol.name} has no rule that needs it.`,
      'Leave it out, or check with --protocol chat-messaging.',
    );
}

/** Reads what the rules need; throws a usage error for unusable values. */
export function needsOf(args: CheckArguments): Needs {
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

/** The characters that an HTTP header can carry; the key itself is not shown. */
function readWrongKindKey(key: string | undefined): string | undefined {
  if (key === undefined || key === '' || /^[\x21-\x7e]+$/.test(key)) return key === '' ? undefined : key;
  throw usage(
    `${wrongKindName} contains a character that an HTTP header cannot carry.`,
    'Often it ends with a line break copied from a file.',
  );
}

function readVariable(text: string | undefined): Needs['variable'] {
  if (text === undefined) return undefined;
  const at = text.indexOf('=');
  const [name, value] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (name !== '' && value !== '') return { name, value };
  throw usage(`--variable takes a name, or name=value, not '${text}'.`, 'Give one such as customerName=Ada-7391.');
}

/** Reads `--pause`; throws a usage error. */
export function readPause(text: string | undefined): Ms | undefined {
  if (text === undefined) return undefined;
  return readDurationFlag(text, { flag: '--pause', mostMs: 60_000, range: 'from 0s to 1m', example: '500ms' });
}

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });
