import { performCheck } from '../../app/check/perform-check.ts';
import { unknownName } from '../../base/unknown-name.ts';
import type { CheckDocument } from '../../conformance/check-document.ts';
import { ruleSetOf, type Needs } from '../../conformance/rule-set.ts';
import { prepareFile } from '../../edge/disk/write-result.ts';
import type { Settled } from '../../plan/settle.ts';
import { defaultProtocol } from '../../protocol/registry/registry.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { printDocument, writeBeside } from '../console/deliver.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';
import { settleGivenOr } from './without-file.ts';

type CheckArguments = Given<'check'> & { scenario: string | undefined };

/** The variable that holds a key of the wrong type. */
const wrongKindName = 'CHAT_LOAD_WRONG_KIND_KEY';

/** For a check without a scenario: flags and environment give the target. */
const ownScenario: Scenario = { name: 'check', sessions: 1, messages: ['Hello.'] };

export async function checkService(args: CheckArguments): Promise<number> {
  const { scenario, only, pause: pauseMs, junit } = args;
  const needs = needsOf(args);
  const settled = await settleGivenOr(args, { author: ownScenario, name: 'the check' });
  await refuseUnfit(args, settled);
  if (junit !== undefined) await prepareFile(junit, '--junit');
  const check = await performCheck({ settled, scenario, needs, only, pauseMs });
  await writeBeside(check, { junit }, { sources: [] });
  await printDocument(check, args.json ? 'json' : 'terminal');
  return exitCodeOf(check);
}

/** 1 a rule is not kept, 4 none could be tried, else 0. */
function exitCodeOf({ counts }: CheckDocument): number {
  if (counts.failed > 0) return 1;
  return counts.tried === 0 ? 4 : 0;
}

/** Throws a usage error for a protocol without rules, a rule of `--only` that it does not have, and what only chat-messaging needs. */
async function refuseUnfit(args: CheckArguments, settled: Settled): Promise<void> {
  const { rules, description } = await ruleSetOf(settled);
  const known = rules.map(({ id }) => id);
  const unknown = args.only?.find((id) => !known.includes(id));
  if (unknown !== undefined) throw usage(`--only: ${unknownName('rule', unknown, known)}`, 'Nothing was sent.');
  const idle = (['chat-off-agent', 'variable'] as const).find((flag) => args[flag] !== undefined);
  if (description !== undefined && idle !== undefined)
    throw usage(
      `--${idle} is for ${defaultProtocol}: ${settled.script.protocol.name} has no rule that needs it.`,
      `Leave it out, or check with --protocol ${defaultProtocol}.`,
    );
}

/** Reads what the rules need; throws a usage error for unusable values. */
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
