import { usageError } from '../../base/errors.ts';
import { performCheck } from '../../app/check/perform-check.ts';
import { unknownName } from '../../base/unknown-name.ts';
import { ruleSetOf, type Needs } from '../../conformance/rule-set.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { defaultProtocol } from '../../protocol/registry/registry.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { prepareReports, printDocument, readFormat, readReportFiles, writeReportFiles } from '../console/deliver.ts';
import type { Given } from '../parser/options.ts';
import { resolveGivenOr } from './resolve-scenario-file.ts';

type CheckArguments = Given<'check'> & { scenario: string | undefined };

/** Variable with a key of the wrong type. */
const wrongKindName = 'CHAT_LOAD_WRONG_KIND_KEY';

/** Scenario of a check without a file; flags and environment set the target. */
const ownScenario: Scenario = { name: 'check', sessions: 1, messages: ['Hello.'] };

export async function checkService(args: CheckArguments): Promise<number> {
  const { scenario, only, pause: pauseMs } = args;
  const format = readFormat(args);
  const reports = readReportFiles(args.report, 'chat-load/check');
  const needs = needsOf(args);
  const resolved = await resolveGivenOr(args, { author: ownScenario, name: 'the check' });
  await requireSupported(args, resolved);
  await prepareReports(reports);
  const check = await performCheck({ resolved, scenario, needs, only, pauseMs });
  await writeReportFiles(check, reports);
  await printDocument(check, format);
  // 4 if no rule could be tested, 1 if a rule failed.
  if (check.counts.failed > 0) return 1;
  return check.counts.tried === 0 ? 4 : 0;
}

/** Throws a usage error for a protocol without rules, an unknown rule of `--only`, and flags only for chat-messaging. */
async function requireSupported(args: CheckArguments, resolved: ResolvedScenario): Promise<void> {
  const { rules, description } = await ruleSetOf(resolved);
  const known = rules.map(({ id }) => id);
  const unknown = args.only?.find((id) => !known.includes(id));
  if (unknown !== undefined) throw usageError(`--only: ${unknownName('rule', unknown, known)}`, 'Nothing was sent.');
  const idle = (['chat-off-agent', 'variable'] as const).find((flag) => args[flag] !== undefined);
  if (description !== undefined && idle !== undefined)
    throw usageError(
      `--${idle} is for ${defaultProtocol}: ${resolved.script.protocol.name} has no rule that needs it.`,
      `Omit it, or check with --protocol ${defaultProtocol}.`,
    );
}

/** Reads the values that rules need. Throws a usage error for unusable ones. */
function needsOf(args: CheckArguments): Needs {
  const { remember, recall } = args;
  if (!remember.includes('{{code}}'))
    throw usageError(
      '--remember does not contain {{code}}.',
      'Insert the placeholder, for example --remember "My code is {{code}}".',
    );
  return {
    chatOffAgentId: args['chat-off-agent'],
    wrongKindKey: readWrongKindKey(process.env[wrongKindName]),
    variable: readVariable(args.variable),
    words: { remember: (code) => remember.replaceAll('{{code}}', code), recall },
  };
}

/** Reads the key of the wrong type. Throws a usage error, without the key, for characters that an HTTP header cannot carry. */
function readWrongKindKey(key: string | undefined): string | undefined {
  if (key === undefined || key === '' || /^[\x21-\x7e]+$/.test(key)) return key === '' ? undefined : key;
  throw usageError(
    `${wrongKindName} contains a character that an HTTP header cannot carry.`,
    'It may end with a line break copied from a file.',
  );
}

function readVariable(text: string | undefined): Needs['variable'] {
  if (text === undefined) return undefined;
  const at = text.indexOf('=');
  const [name, value] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  if (name !== '' && value !== '') return { name, value };
  throw usageError(`--variable takes name or name=value, not '${text}'.`, 'For example customerName=Ada-7391.');
}
