import { shellWord } from '../../base/shell-word.ts';
import {
  failedExchange,
  isKeyRefused,
  judgeContact,
  type Contact,
  type FoundProtocol,
} from '../../conformance/contact/contact.ts';
import { flagsOfPlan } from '../../plan/given-options.ts';
import type { Plan } from '../../plan/plan.ts';
import { keyRemedy } from '../../protocol/refused-key.ts';
import { targetCause } from '../../result/sections/target-remedy.ts';
import { protocolNames } from '../../scenario/known-protocols.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';

/** What to do next: in words, and the command to type as words of a shell; empty for none. */
export interface NextStep {
  words: string;
  command: readonly string[];
}

interface Tried {
  plan: Pick<Plan, 'options'>;
  /** Path of the scenario; `undefined`: there is none. */
  scenario: string | undefined;
}

/** The next step after a first conversation: a run with a small load, or the remedy. */
export function nextStep(contact: Contact, tried: Tried): NextStep {
  const { isEmbedded } = contact.target;
  if (judgeContact(contact) === 'usable') {
    if (isEmbedded && tried.scenario === undefined)
      return { words: 'for an agent of your own', command: ['chat-load', 'init'] };
    const command = commandLine('run', tried, { concurrency: 2, duration: '30s' });
    return { words: 'a run with a small load', command };
  }
  const failed = failedExchange(contact);
  if (isKeyRefused(failed)) return { words: keyRemedy, command: [] };
  const { found } = contact.found ?? {};
  if (found?.some(({ name, isBelow }) => name === contact.target.protocol && isBelow) === true)
    return { words: 'the protocol is there: its rules, one by one', command: checkLine(tried) };
  const other = found?.find(({ name }) => name === contact.target.protocol) ?? found?.[0];
  if (other !== undefined) return { words: 'with what was found', command: commandLine('try', tried, flagsFor(other)) };
  if (found !== undefined) return { words: unknownApi, command: [] };
  if (failed?.reading === undefined || failed.reading.outcome === 'aborted') return { words: '', command: [] };
  const { outcome } = failed.reading;
  if (outcome === 'ok' || outcome === 'abandoned') return { words: '', command: [] };
  const cause = targetCause(failed.turn === 0 ? 'create' : 'message', outcome);
  if (cause.endsWith('.')) return { words: cause, command: [] };
  return protocolNames.some((name) => name === contact.target.protocol)
    ? { words: `${cause}. Its rules, one by one`, command: checkLine(tried) }
    : { words: `${cause}: compare the definition of the protocol with the exchanges above.`, command: [] };
}

const unknownApi =
  'Check the base URL. An API that is none of the known protocols is described with defineProtocol (docs/protocols.md).';

/** A URL with the path of the protocol selects it. */
const flagsFor = ({ name, url, isBelow }: FoundProtocol): Record<string, unknown> =>
  isBelow ? { protocol: name } : { 'base-url': url, protocol: name };

/** Replies are checked both ways, and within the timeout of the scenario. */
const checkLine = (tried: Tried): string[] => commandLine('check', tried, { stream: undefined, timeout: undefined });

/** A command with the scenario and the flags that were given, and further ones. */
function commandLine(command: string, { plan, scenario }: Tried, further: Readonly<Record<string, unknown>>): string[] {
  const flags = { ...givenFlags(plan), ...further };
  const words = Object.entries(flags).flatMap(([flag, value]) =>
    (value === undefined ? [] : [value].flat()).flatMap((each) =>
      each === true ? [`--${flag}`] : [`--${flag}`, textOf(each)],
    ),
  );
  return ['chat-load', command, ...(scenario === undefined ? [] : [scenario]), ...words].map(shellWord);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Those that were given as flags, and not by the environment. */
function givenFlags(plan: Tried['plan']): Record<string, unknown> {
  const isFlag = (flag: string): boolean => {
    const option = scenarioOptions.find((each) => each.flag === flag);
    return option !== undefined && plan.options[option.name]?.from === 'flag';
  };
  return Object.fromEntries(Object.entries(flagsOfPlan(plan)).filter(([flag]) => isFlag(flag)));
}
