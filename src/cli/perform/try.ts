import { performTry } from '../../app/try/perform-try.ts';
import {
  judgeContact,
  type ContactVerdict,
  failedExchange,
  faultyReply,
  isKeyRefused,
  modelProblem,
  type Contact,
  type ContactExchange,
  type FoundProtocol,
} from '../../conformance/contact/contact.ts';
import { flagsOfPlan } from '../../plan/overlay.ts';
import { renderContact } from '../../report/contact/render-contact.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import { scenarioOptions } from '../../scenario/scenario-options.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { endWithVerdict, stdout } from '../console/terminal.ts';
import { builtInTurns } from '../../app/built-in/built-in-scenario.ts';
import { withStatus } from '../console/screen.ts';
import { resolveGivenOr } from './resolve-scenario-file.ts';
import { redirectRemedy } from './redirect-remedy.ts';
import { smallLoad } from './small-load.ts';
import { shellWord } from '../../base/format.ts';
import type { Plan } from '../../plan/plan.ts';
import { keyRemedyOf } from '../../protocol/refused-key.ts';
import { targetCause } from '../../result/sections/run-facts.ts';
import { type ProtocolName, defaultProtocol, protocolName, protocols } from '../../protocol/registry/registry.ts';

/** Scenario of a conversation without a file; flags and environment set the target. */
const ownScenario: Scenario = {
  name: 'try',
  sessions: 1,
  messages: ['Hello! Please introduce yourself in two sentences.'],
};

export async function tryService(
  args: { scenario: string | undefined } & Readonly<Record<string, unknown>>,
): Promise<number> {
  const resolved = await resolveGivenOr(args, { author: ownScenario, name: 'the conversation' });
  const { plan } = resolved;
  const { scenario } = args;
  const start = process.env['npm_lifecycle_event'] === 'npx' ? ['npx', 'chat-load'] : ['chat-load'];
  const shown = flagsOfPlan(plan);
  const unshown = scenarioOptions.flatMap(({ flag }) =>
    flag === undefined || args[flag] === undefined || flag in shown ? [] : [`--${flag}`],
  );
  return endWithVerdict(true, () =>
    withStatus('trying', ['Stopping: the exchanges so far are shown.'], async (status, stops) => {
      status.notify(plan.target.baseUrl ?? 'the embedded service');
      const contact = await performTry({ resolved, stops, note: status.note });
      status.stop();
      stdout.line(
        renderContact(contact, nextStep(contact, { plan, scenario, start, unshown }), stdout, args['all'] === true),
      );
      const signal = stops.signal();
      return signal === undefined ? exitCodes[judgeContact(contact)] : signalExitCodes[signal];
    }),
  );
}

const exitCodes: Readonly<Record<ContactVerdict, number>> = { usable: 0, unusable: 1, unreachable: 3 };

/** The next step: a description, and the command in shell words, empty if there is none. */
interface NextStep {
  words: string;
  command: readonly string[];
}

interface Tried {
  plan: Pick<Plan, 'options' | 'target' | 'gates' | 'turns' | 'thinkTime'>;
  scenario: string | undefined;
  /** Command that started chat-load, such as `npx chat-load`, in shell words. */
  start: readonly string[];
  /** Given flags that no command shows, because their values may be secret. */
  unshown: readonly string[];
}

/** Returns the next step after a first conversation: a run with a small load, or the remedy. */
function nextStep(contact: Contact, tried: Tried): NextStep {
  const { words, command } = stepOf(contact, tried);
  const again = command.length === 0 || tried.unshown.length === 0 ? '' : `, with ${tried.unshown.join(' and ')} again`;
  return { words: `${words}${again}${command.length === 0 ? '' : ':'}`, command };
}

function stepOf(contact: Contact, tried: Tried): NextStep {
  const { isEmbedded, isOpen } = contact.target;
  const problem = modelProblem(contact);
  if (problem !== undefined) return { words: modelRemedies[problem], command: [] };
  if (judgeContact(contact) === 'usable') {
    if (isEmbedded && tried.scenario === undefined)
      return { words: 'write a scenario for your own agent', command: [...tried.start, 'init'] };
    const command = commandLine(
      'run',
      { ...tried, contact },
      smallLoad(tried.scenario === undefined ? { ...tried.plan, turns: builtInTurns } : tried.plan),
    );
    return { words: 'run a small load', command };
  }
  const failed = failedExchange(contact);
  if (isKeyRefused(failed)) {
    const isEverywhere = contact.found?.found.length === 0 && [401, 403].includes(contact.found.otherStatus);
    return {
      words: `${keyAdvice(tried)}${isEverywhere ? ' A path that cannot exist is rejected too, so the base URL may be wrong.' : ''}`,
      command: [],
    };
  }
  const faulty = failed === undefined ? faultyReply(contact) : undefined;
  if (faulty?.fault === 'id_repeats') return { words: repeatedId, command: [] };
  const { words, command } = remedyOf(failed ?? faulty?.exchange, { ...tried, contact });
  const { status = 0 } = failed?.response ?? {};
  // A scenario file states whether its service needs a key.
  const mayLackKey = isOpen && tried.scenario === undefined && status >= 400 && status !== 404;
  const isOfModel = words.startsWith(refusesModel);
  return {
    words: `${mayLackKey && !isOfModel ? 'No key was sent: set CHAT_LOAD_API_KEY if the service needs one. ' : ''}${words}`,
    command,
  };
}

/** Returns the remedy for a rejected key: without a scenario file, or with the variable set, the key is that of the environment. */
function keyAdvice({ plan, scenario }: Tried): string {
  const isOfFile = scenario !== undefined && (process.env['CHAT_LOAD_API_KEY'] ?? '') === '';
  if (plan.target.auth === 'none' && scenario === undefined) return keyRemedyOf({ auth: 'key', isOfFile });
  return keyRemedyOf({ auth: plan.target.auth, isOfFile });
}

const modelRemedies = {
  no_call:
    'Set the base URL of its model before the agent starts, and try again. Without model calls, gates on them have no data.',
  untraced:
    'Let the agent forward traceparent to its model calls (docs/guides/inside-a-turn.md), and try again. Otherwise figures by turn are unknown, and gates on them have no data.',
} as const;

const refusesModel = 'The service refuses ';

const repeatedId =
  'Every reply needs a unique id, otherwise a run counts it as broken. For a mock with one id for all replies, set `integrity: false` in a scenario (chat-load init writes one).';

type Conversed = Tried & { contact: Contact };

function remedyOf(failed: ContactExchange | undefined, conversed: Conversed): NextStep {
  const { target, found: search } = conversed.contact;
  if (failed !== undefined && !target.stream && isEventStream(failed)) return streamStep(conversed);
  const status = failed?.response.status ?? 0;
  if (status >= 300 && status < 400)
    return { words: redirectRemedy(failed, protocolName(target.protocol) !== undefined), command: [] };
  if ([408, 409, 425].includes(status)) return { words: 'The service asks to try again later.', command: [] };
  if (status === 429)
    return { words: 'The service limits requests: try again later (Retry-After above, if it sent one).', command: [] };
  const known = protocolName(target.protocol);
  const own = search?.found.find(({ name }) => name === target.protocol);
  if (own?.isBelow === true)
    return hasModels(known) && namesModel(failed, target.agentId)
      ? { words: `${refusesModel}${target.agentId}: name one of its models with --model.`, command: [] }
      : { words: `${refusedThere}. To test its rules one by one`, command: checkLine(conversed) };
  const other = own ?? search?.found[0];
  if (other !== undefined)
    return { words: 'try the detected API', command: commandLine('try', conversed, flagsFor(other)) };
  if (search !== undefined)
    return {
      words: 'Check the base URL. To describe a custom API, use defineProtocol (docs/reference/protocols.md).',
      command: [],
    };
  if (failed?.reading === undefined || failed.reading.outcome === 'aborted') return { words: '', command: [] };
  const { outcome } = failed.reading;
  if (outcome === 'abandoned') return { words: '', command: [] };
  if (outcome === 'ok') return known === undefined ? definition : { words: noText, command: checkLine(conversed) };
  if (known === undefined && outcome === 'timed_out' && (failed.response.events ?? []).length > 0)
    return { words: endUnrecognized(conversed.plan.target, failed.turn), command: [] };
  const cause = targetCause({
    operation: failed.turn === 0 ? 'create' : 'message',
    outcome,
    auth: conversed.plan.target.auth,
  });
  if (cause.endsWith('.')) return { words: cause, command: [] };
  return known === undefined
    ? definition
    : { words: `${cause}. To test its rules one by one`, command: checkLine(conversed) };
}

const hasModels = (name: ProtocolName | undefined): boolean =>
  name !== undefined && protocols[name].protocol.agentsOnly !== true;

const isEventStream = ({ response: { status, contentType } }: ContactExchange): boolean =>
  status < 300 && /^text\/event-stream\b/i.test(contentType);

const streamStep = (conversed: Conversed): NextStep =>
  conversed.contact.target.canStream
    ? {
        words: 'It replies with a stream. To request streamed replies',
        command: commandLine('try', conversed, { stream: true }),
      }
    : { words: 'It replies with a stream: describe it with `stream` in the definition of the protocol.', command: [] };

const namesModel = (failed: ContactExchange | undefined, model: string): boolean =>
  failed?.reading !== undefined &&
  failed.reading.detail.split(/[^\w./:-]+/).some((word) => word.replace(/^model=|[.:]$/g, '') === model);

const refusedThere =
  'The protocol was found, but the service refuses the request, often because of the model or the key';

const noText = 'No text was found in the reply: see the exchanges above. To test its rules one by one';

/** Returns the remedy for a reply whose end was not recognized, with the part of the definition that recognizes it. */
function endUnrecognized({ transport, listens }: Tried['plan']['target'], turn: number): string {
  const ofSocket = turn <= 1 ? 'read.end, or connect.ready if this is the greeting of the socket' : 'read.end';
  const part = transport !== undefined ? ofSocket : listens !== undefined ? 'end in reply.then.listen' : 'stream.end';
  return `If the exchange above contains the whole reply, the definition of the protocol does not recognize its end: correct ${part}. Otherwise, set a longer timeout (--timeout).`;
}

const definition: NextStep = {
  words:
    'Compare the definition of the protocol with the exchanges above: its request paths, and the paths of text, ids and end.',
  command: [],
};

/** A URL with the path of the protocol selects it. */
const flagsFor = ({ name, url, isBelow }: FoundProtocol): Record<string, unknown> =>
  isBelow ? { protocol: name } : { 'base-url': url, protocol: name };

/** Returns the check command; rules use the timeout of the scenario. */
const checkLine = (conversed: Conversed): string[] => commandLine('check', conversed, { timeout: undefined });

/** Returns a command with the scenario, the given flags and additional ones, by their common names. */
function commandLine(
  command: string,
  { plan, scenario, start, contact }: Conversed,
  further: Readonly<Record<string, unknown>>,
): string[] {
  const flags = { ...givenFlags(plan), ...further };
  const protocol =
    protocols[protocolName(textOf(flags['protocol'] ?? contact.target.protocol)) ?? defaultProtocol].protocol;
  const names: Readonly<Record<string, string>> = {
    'base-url': 'url',
    ...(protocol.agentsOnly === true ? {} : { 'agent-id': 'model' }),
  };
  const words = Object.entries(flags).flatMap(([flag, value]) =>
    (value === undefined ? [] : [value].flat()).flatMap((each) => {
      const name = `--${names[flag] ?? flag}`;
      return each === true ? [name] : [name, textOf(each)];
    }),
  );
  return [...start, command, ...(scenario === undefined ? [] : [scenario]), ...words].map(shellWord);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns options given as flags, not by the environment. */
function givenFlags(plan: Tried['plan']): Record<string, unknown> {
  const isFlag = (flag: string): boolean => {
    const option = scenarioOptions.find((each) => each.flag === flag);
    return option !== undefined && plan.options[option.name]?.from === 'flag';
  };
  return Object.fromEntries(Object.entries(flagsOfPlan(plan)).filter(([flag]) => isFlag(flag)));
}
