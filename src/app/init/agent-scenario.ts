import {
  protocolName,
  type ProtocolName,
  defaultProtocol,
  preferredProtocol,
  protocolNames,
  protocols,
  unknownProtocol,
} from '../../protocol/registry/registry.ts';
import { usageError } from '../../base/errors.ts';
import { isLoopback, plainName, lacksScheme } from '../../plan/host-names.ts';
import type { ChatProtocol } from '../../protocol/protocol.ts';
import { recognizeBase, recognizeUrl } from '../../scenario/recognize-url.ts';
import { textLiteral } from './literal.ts';

/** Name of a custom API, whose protocol the scenario defines. */
const ownApi = 'own';

const definition = (
  replies: readonly string[],
): string => `/** Requests and replies of your API. docs/reference/protocols.md of the chat-load package explains every field. */
const ownApi = defineProtocol({
  name: 'own-api',
  // history: 'client', // if the API keeps no history: send \`messages\`, the conversation so far, in \`body\`
  // createSession: { path: '/sessions', body: {}, sessionId: 'id' }, // if sessions are created first
  // authorize: (apiKey) => ({ 'X-Api-Key': apiKey }), // instead of Authorization: Bearer
  message: {
    path: '/chat', // below the base URL
    body: ({ message, sessionId }) => ({ message, sessionId }), // sessionId is '' until the API returns one
  },
${replies.map((line) => `  ${line}\n`).join('')}});
`;

const notStreamed = definition([
  "reply: { text: 'reply' }, // path of the text in the JSON, such as 'choices.0.text'; sessionId: 'id' if the reply contains it",
  "// stream: { format: 'sse', text: 'delta', end: '[DONE]' }, // for streamed replies, with target.stream: true",
]);

const streamed = definition([
  "stream: { format: 'sse', text: 'delta', end: '[DONE]' }, // path of the text in an event, and the last event",
  "// reply: { text: 'reply' }, // for replies that are not streamed, with target.stream: false",
]);

export interface AgentAnswers {
  protocol?: string | undefined;
  url?: string | undefined;
  model?: string | undefined;
  /** Agent, for protocols with agents instead of models. */
  agentId?: string | undefined;
  stream: boolean;
  hasKey: boolean;
}

type Api = ProtocolName | typeof ownApi;

export interface AgentTarget {
  protocol: Api;
  /** True if the protocol was neither named nor recognized. */
  isAssumed: boolean;
  baseUrl: string | undefined;
  messagesPath: string | undefined;
  agentId: string | undefined;
  stream: boolean;
  /** Host to allow; `undefined` for this machine or a URL from the environment. */
  host: string | undefined;
  isOpen: boolean;
  /** Parts of a scenario from a request that the user already has. */
  given?: GivenParts;
}

interface GivenParts {
  /** Lines of `target`. */
  lines: readonly string[];
  /** Definition of the protocol. */
  definition: string | undefined;
  /** Environment variables that the scenario reads. */
  variables: readonly string[];
  variableValues: string | undefined;
  /** First message. */
  message: string | undefined;
}

/** Resolves the answers. Throws a usage error for contradictory answers. */
export function agentTarget(answers: AgentAnswers): AgentTarget {
  const { url, model, agentId, stream, hasKey } = answers;
  const problem = url === undefined ? undefined : urlProblem(url);
  if (problem !== undefined) throw usageError(`--url: ${problem}`, 'Nothing was written.');
  const parsed = url === undefined ? undefined : new URL(url);
  const named = answers.protocol === undefined ? undefined : readApi(answers.protocol);
  const recognized = url === undefined || named === ownApi ? undefined : recognizeUrl(url, { named });
  if (named !== undefined && recognized !== undefined && named !== recognized.protocol)
    throw usageError(
      `--url ends in ${recognized.path}, a path of ${recognized.protocol}, but --protocol is ${named}.`,
      'Omit the path or the protocol.',
    );
  const ofBase = url === undefined || named === ownApi ? undefined : recognizeBase(url, model);
  const assumed = model === undefined ? defaultProtocol : preferredProtocol;
  const protocol = named ?? recognized?.protocol ?? ofBase ?? assumed;
  const { agentsOnly, wholeOnly } = factsOf(protocol);
  if (agentsOnly === true && model !== undefined)
    throw usageError(`--model: ${protocol} has agents, not models.`, 'Name the agent with --agent-id.');
  if (model !== undefined && agentId !== undefined)
    throw usageError('--model and --agent-id set the same value.', 'Omit one of them.');
  if (wholeOnly === true && stream)
    throw usageError(
      `--stream: ${protocol} has no streamed replies.`,
      `Name the protocol of your API with --protocol.`,
    );
  const isHere = parsed !== undefined && isLoopback(plainName(parsed.hostname));
  return {
    protocol,
    isAssumed: named === undefined && recognized === undefined && ofBase === undefined,
    baseUrl: recognized?.baseUrl ?? url,
    messagesPath: recognized?.messagesPath,
    agentId: model ?? agentId ?? recognized?.agentId,
    stream,
    host: parsed === undefined || isHere ? undefined : parsed.host,
    isOpen: isHere && !hasKey,
  };
}

/** Returns the facts of a protocol that a scenario depends on; they are unknown for a custom API. */
const factsOf = (api: Api): Partial<ChatProtocol> => (api === ownApi ? {} : protocols[api].protocol);

function urlProblem(url: string): string | undefined {
  const schemeless = lacksScheme(url);
  if (schemeless !== undefined) return schemeless;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return 'expected a URL such as http://localhost:8000/v1, which starts with http:// or https://.';
  const hasQuery = parsed.search !== '' && recognizeUrl(url) === undefined;
  return parsed.username !== '' || parsed.password !== '' || hasQuery || parsed.hash !== ''
    ? 'contains a user, a password, a query or a fragment, which do not belong in a file: set CHAT_LOAD_API_KEY in the environment, or target.auth and target.headers in the scenario.'
    : undefined;
}

function readApi(given: string): Api {
  const known = ([...protocolNames, ownApi] as const).find((name) => name === given);
  if (known !== undefined) return known;
  throw usageError(
    `--protocol: ${unknownProtocol(given)}`,
    'For a custom API, chat-load init --protocol own writes a scenario with a protocol to complete.',
  );
}

/** Contains the host of the base URL, unless it is this machine. */
const allowVariable = 'CHAT_LOAD_ALLOW_HOSTS';

/** Environment variables that the shipped scenario needs. */
export const shippedVariables = ['CHAT_LOAD_BASE_URL', 'CHAT_LOAD_AGENT_ID', 'CHAT_LOAD_API_KEY', allowVariable];

/** Returns the environment variables that a scenario needs before its first run. */
export function neededVariables({ protocol, baseUrl, agentId, isOpen, given }: AgentTarget): string[] {
  if (given !== undefined) return [...given.variables];
  return [
    ...(baseUrl === undefined ? ['CHAT_LOAD_BASE_URL'] : []),
    ...(agentId === undefined && protocol !== ownApi ? ['CHAT_LOAD_AGENT_ID'] : []),
    ...(isOpen ? [] : ['CHAT_LOAD_API_KEY']),
    ...(baseUrl === undefined ? [allowVariable] : []),
  ];
}

/** Returns the scenario of an agent or a model: the shipped one with another target. */
export function agentScenario(shipped: string, target: AgentTarget): string {
  const { host, protocol, given } = target;
  const allow =
    host === undefined ? '' : `  allowHosts: [${quoted(host)}], // the only other machine that may be loaded\n`;
  const text = shipped
    .replace(/\/\*\*[^]*?\*\/\n/, () => comment(target))
    .replace(/ {2}target: \{\n[^]*?\n {2}\},\n/, () => `${targetText(target)}${allow}`)
    .replace(/(?<=messages: \[\n {4})'.*',/, (own) =>
      given?.message === undefined ? own : `${textLiteral(given.message.replaceAll('{{', '\\{{'))},`,
    );
  const values = given?.variableValues;
  const hasValues = factsOf(protocol).agentsOnly === true || values !== undefined;
  const filled = text.replace(/ {2}variableValues:.*\n/, (own) =>
    values !== undefined ? `  variableValues: ${values},\n` : hasValues ? own : '',
  );
  const plain = factsOf(protocol).agentsOnly === true ? filled : filled.replaceAll('{{customerName}}', 'Ada');
  if (protocol !== ownApi) return plain;
  const definition = given?.definition ?? (target.stream ? streamed : notStreamed);
  return plain.replace(
    "import { defineScenario } from 'chat-load';\n",
    () => `import { defineProtocol, defineScenario } from 'chat-load';\n\n${definition}`,
  );
}

function comment(target: AgentTarget): string {
  const { protocol, baseUrl } = target;
  const needed = neededVariables(target);
  const lines = [
    `Two minutes of ordinary traffic from five concurrent users, with ${protocol === ownApi ? 'the protocol above' : protocol}${baseUrl === undefined ? '' : ` on ${baseUrl}`}.`,
    ...(needed.length === 0 ? [] : [`Set these environment variables before the first run: ${needed.join(', ')}.`]),
    ...(needed.includes(allowVariable) ? [`${allowVariable} is the host of the URL; this machine needs none.`] : []),
    '',
    '`chat-load try` with this file holds one conversation and reports whether the service can be loaded, `chat-load plan`',
    'shows a run without sending anything, and `chat-load run` performs it.',
  ];
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

function targetText(target: AgentTarget): string {
  const { protocol, baseUrl, messagesPath, agentId, stream, isOpen, isAssumed, given } = target;
  const { agentsOnly } = factsOf(protocol);
  const isOwn = protocol === ownApi;
  const value = (given: string | undefined, name: string): string =>
    given === undefined ? `process.env['${name}'] ?? ''` : quoted(given);
  const hasAgent = agentId !== undefined || (!isOwn && given === undefined);
  const lines = [
    `baseUrl: ${value(baseUrl, 'CHAT_LOAD_BASE_URL')},`,
    `protocol: ${isOwn ? 'ownApi' : quoted(protocol)},${isAssumed ? ' // assumed: `chat-load try` detects others' : ''}`,
    messagesPath === undefined ? '' : `messagesPath: ${quoted(messagesPath)}, // the service has no /v1`,
    hasAgent
      ? `agentId: ${value(agentId, 'CHAT_LOAD_AGENT_ID')}, // the ${agentsOnly === true ? 'agent' : 'model'}`
      : '',
    stream ? 'stream: true, // also measures the first token and the gaps between events' : '',
    isOpen ? "auth: 'none', // remove this line to send CHAT_LOAD_API_KEY" : '',
    ...(given?.lines ?? hintsFor(protocol)),
  ].filter((line) => line !== '');
  return `  target: {\n${lines.map((line) => `    ${line}\n`).join('')}  },\n`;
}

/** Returns comments about further fields of `target`. */
function hintsFor(protocol: Api): string[] {
  const { agentsOnly, outputLimit = 'max_tokens' } = factsOf(protocol);
  if (protocol === ownApi) return [];
  return agentsOnly === true
    ? [
        '// If your service creates sessions at another path, or names the id differently:',
        "// createSession: { path: '/v1/sessions', body: { agent: '{{agentId}}' }, sessionIdFrom: 'data.id' },",
      ]
    : [
        "// instructions: 'You are a patient support agent.', // sent as the system message",
        `// messageBody: { ${outputLimit}: 300 }, // fields of every request`,
      ];
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(/[\r\n]/g, ' ')}'`;

/** Asks one question; an empty answer selects the default. */
export type Ask = (question: string, fallback: string) => Promise<string>;

const apis: readonly string[] = [...protocolNames, ownApi];

/** Asks for the target of a scenario: at most four questions, each repeated until its answer is valid. */
export async function askAgent(ask: Ask, hasKey: boolean): Promise<AgentAnswers> {
  const url = await askUntilValid(ask, ['URL of the service', 'http://localhost:8000/v1'], urlProblem);
  const byPath = recognizeUrl(url)?.protocol;
  const protocol = byPath ?? apiOf(await askUntilValid(ask, [whichApi, defaultApi(url)], apiProblem));
  const known = protocolName(protocol);
  const { agentsOnly, wholeOnly } = known === undefined ? {} : protocols[known].protocol;
  const named =
    known === undefined
      ? {}
      : agentsOnly === true
        ? { agentId: await ask('Agent', 'my-agent') }
        : { model: await ask('Model', 'my-model') };
  const stream = wholeOnly !== true && /^y/i.test(await askUntilValid(ask, ['Streamed replies? (y/n)', 'y'], noChoice));
  return { url, protocol, ...named, stream, hasKey };
}

async function askUntilValid(
  ask: Ask,
  [question, fallback]: readonly [string, string],
  problemOf: (answer: string) => string | undefined,
): Promise<string> {
  for (let preface = ''; ;) {
    const answer = await ask(preface + question, fallback);
    const problem = problemOf(answer);
    if (problem === undefined) return answer;
    preface = `${problem}\n`;
  }
}

const whichApi = [
  'Which API?',
  ...apis.map((name, index) => `  ${String(index + 1)} ${name}${name === ownApi ? ', a custom API' : ''}`),
  'Number or name',
].join('\n');

const apiOf = (answer: string): string => apis[Number(answer) - 1] ?? answer;

const apiProblem = (answer: string): string | undefined =>
  apis.includes(apiOf(answer)) ? undefined : unknownProtocol(answer);

const noChoice = (answer: string): string | undefined =>
  /^(?:y|yes|n|no)$/i.test(answer) ? undefined : 'Answer y or n.';

/** Returns the default API of a URL; model servers have a version in their base URL. */
const defaultApi = (url: string): string =>
  recognizeBase(url, undefined) ?? (/\/v1\/?$/.test(url) ? preferredProtocol : defaultProtocol);
