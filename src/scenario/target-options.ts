import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { sessionsPath } from '../protocol/chat-messaging/api.ts';
import { authOptions } from './auth-options.ts';
import { defaultProtocol, protocolNames } from '../protocol/registry/registry.ts';
import { protocolOption } from './protocol-option.ts';
import { closedObject, switchOption } from './closed-object.ts';
import { addressShape, httpShape, localAddresses, wayShape } from './connection-options.ts';
import { metricsOption } from './metrics-options.ts';
import { defaulted, noted, option } from './option.ts';
import type { HeaderValue } from './scenario-values.ts';
import { tlsOptions } from './tls-options.ts';

const wrongUrl = {
  error: ({ input }: { input?: unknown }) =>
    typeof input === 'string' && /^wss?:/i.test(input)
      ? 'expected a URL with http:// or https://, which the upgrade turns into ws:// or wss://'
      : "expected a URL such as 'https://api.example.com', or 'embedded'",
};
const baseUrl = z.union(
  [z.literal('embedded').transform(() => undefined), z.url({ protocol: /^https?$/, ...wrongUrl })],
  wrongUrl,
);

export const createShape = {
  path: defaulted(z.string().startsWith('/'), {
    meaning: 'Path of the POST that creates a session, below the base URL.',
    limits: 'begins with `/`',
    default: sessionsPath,
    plan: 'path',
  }),
  body: defaulted(z.record(z.string(), z.unknown()), {
    meaning: 'Body of that POST; `{{agentId}}` is replaced by the agent.',
    default: { agentId: '{{agentId}}' },
    plan: 'body',
  }),
  sessionIdFrom: defaulted(z.string().regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path such as data.sessionId'), {
    meaning: 'Path of the session ID in the reply.',
    limits: 'a dotted path',
    default: 'data.sessionId',
    plan: 'sessionIdFrom',
  }),
};

const headers = z.custom<Readonly<Record<string, HeaderValue>>>(isObject, {
  error: "expected an object of names and values, such as { 'X-Tenant': 'acme' }",
});

/** The trace id replaces `{traceId}`, so a URL without it is a mistake, and one with a password would be published. */
const traceUrl = z.string().refine(
  (value) => {
    if (!value.includes('{traceId}') || !URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return /^https?:$/.test(protocol) && username + password === '';
  },
  { error: "expected a URL such as 'http://localhost:16686/trace/{traceId}'" },
);

/** Request headers besides the protocol's own. */
const headerShape = {
  headers: noted(headers.prefault({}), {
    meaning:
      "Headers of every request, such as `{ 'X-Tenant': '{{pick customers.tenant}}' }`: templates or functions, rendered once per session, or once per turn if they use the turn (0 for the creation). Results show their names, never their values.",
    type: 'Readonly<Record<string, HeaderValue>>',
    limits: 'names of HTTP header fields; texts of Latin-1 characters',
    without: 'none',
    flag: 'header',
    flagMeaning:
      "Header of every request, 'Name: value', may be a template; repeat for several. Added to the scenario's headers",
    takes: 'lines',
    adds: withLines,
    content: true,
  }),
  trace: switchOption(
    'trace',
    'Send a new W3C `traceparent` with every attempt; the result contains the trace ID of every example. Spans are exported if `OTEL_EXPORTER_OTLP_ENDPOINT` is set.',
  ),
  traceShare: defaulted(z.number().min(0).max(1), {
    meaning:
      'Share of sessions whose spans are exported, and whose attempts are marked as sampled. Turns with a failed attempt and the slowest turns are exported in any case.',
    default: 0.1,
    plan: 'traceShare',
    flag: 'trace-share',
    takes: 'number',
  }),
  traceUrl: option(traceUrl, {
    meaning:
      "Address of a trace in your tracing system, with `{traceId}`, such as `'http://localhost:16686/trace/{traceId}'`: reports link examples and slow turns to it.",
    limits: 'an http or https URL without credentials, with `{traceId}`',
    plan: 'traceUrl',
    flag: 'trace-url',
  }),
  cookies: switchOption(
    'cookies',
    'Keep the cookies set by the service, separately for each session, and send them back.',
  ),
};

export const targetShape = {
  baseUrl: option(baseUrl, {
    meaning:
      "URL of the service, such as `https://api.example.com`; a path in it is kept as a prefix, except a protocol's own path at its end (`/v1/chat/completions`), which selects the protocol. Default, or `'embedded'`: the embedded service.",
    limits: 'an http or https URL',
    without: 'the embedded service',
    flag: 'base-url',
    alias: { flag: 'url', meaning: 'URL of the service; same as --base-url' },
    ifEmpty: "omit the option, or set it to 'embedded', for the embedded service",
    ifUndefined: 'empty',
  }),
  apiKey: option(z.string().min(1), {
    meaning: 'API key; better set in the environment than in the file.',
    environment: 'CHAT_LOAD_API_KEY',
    secret: true,
  }),
  auth: option(authOptions, {
    meaning:
      "Authorization of requests instead of the API key: one of the fields below, or `'none'`. No API key is needed with it.",
    type: "'none' | AuthOptions",
    without: "the API key, in the protocol's own way",
    isSection: true,
  }),
  start: option(z.array(z.string().min(1)).min(1), {
    meaning:
      "Command that starts the agent under test for the run, with its arguments, such as `['node', 'agent.mjs']`: run without a shell in the folder of the scenario, with `PORT` (that of the base URL), and with `OPENAI_BASE_URL` and `ANTHROPIC_BASE_URL` of the model service. The run begins when it listens, and ends it.",
    type: 'readonly string[]',
    without: 'the agent runs already',
    content: true,
  }),
  agentId: option(z.string().min(1), {
    meaning: 'Agent that receives the messages.',
    flag: 'agent-id',
    alias: { flag: 'model', meaning: 'Model, for protocols with models instead of agents' },
    ifEmpty: 'name the agent with --agent-id',
  }),
  protocol: defaulted(protocolOption, {
    meaning: `Protocol of the service: ${protocolNames.map((name) => `\`'${name}'\``).join(', ')}, or a custom one built with \`defineProtocol\`.`,
    type: 'ProtocolName | ProtocolDefinition',
    limits: 'the name of a protocol, or a definition',
    default: defaultProtocol,
    flag: 'protocol',
    flagMeaning: `Protocol of the service: ${protocolNames.join(', ')}. A custom one, built with defineProtocol, is set in the scenario`,
    content: 'of_file',
  }),
  stream: switchOption('stream', 'Request streamed replies and record when each event arrives.'),
  instructions: option(z.string().min(1), {
    meaning:
      'System message sent before the conversation, with `{{name}}` for variable values; only for protocols that support one.',
    without: 'the variable values, one per line',
    content: true,
  }),
  messagesPath: option(z.string().startsWith('/'), {
    meaning: 'Path of messages, below the base URL; `{model}` in it stands for the agent or model.',
    limits: 'begins with `/`',
    without: "the protocol's path",
    plan: 'messagesPath',
  }),
  messageBody: defaulted(z.record(z.string(), z.unknown()), {
    meaning: "Fields added to every message besides the protocol's own, such as `{ temperature: 0, max_tokens: 300 }`.",
    default: {},
    plan: 'messageBody',
  }),
  conversation: defaulted(z.enum(['previous_response', 'conversation']), {
    meaning:
      '`openai-responses`: conversation state, kept by the ID of the previous reply or of a conversation that is created first.',
    default: 'previous_response',
    plan: 'conversation',
  }),
  metrics: option(metricsOption, {
    meaning:
      "Metrics of the target in Prometheus' text format, scraped during the run and shown next to its figures: `['http://127.0.0.1:8000/metrics']`, or objects with the fields below. Known series of vLLM, SGLang, LiteLLM and the node exporter are recognized. The key and the headers of the target are not sent to these URLs.",
    type: 'readonly (string | TargetMetricsOptions)[]',
    limits: '1 to 20 URLs or objects',
    without: 'the metrics of the target are not read',
    flag: 'target-metrics',
    flagMeaning: "Scrape the target's metrics at URL during the run (Prometheus' text format); repeat for several",
    takes: 'list',
  }),
  localAddresses: option(localAddresses, {
    meaning: 'Local addresses to connect from, used round-robin; each has its own local port range.',
    without: 'chosen by the system',
    flag: 'local-address',
    environment: 'CHAT_LOAD_LOCAL_ADDRESSES',
    takes: 'list',
  }),
  ...wayShape,
  ...headerShape,
  ...addressShape,
  tls: noted(tlsOptions.prefault({}), {
    meaning: 'TLS options for a base URL with https: authorities, client certificate, versions.',
    type: 'TargetTlsOptions',
    without: 'the defaults of its fields',
    isSection: true,
  }),
  ...httpShape,
  createSession: noted(closedObject(createShape).prefault({}), {
    meaning: 'Request that creates a session, which the API description leaves open.',
    type: 'CreateSessionOptions',
    without: 'the defaults of its fields',
    isSection: true,
  }),
};

/** The schema of `target`. */
export const targetOptions = closedObject(targetShape);

/** Adds headers of `Name: value` lines to a file's headers; they replace headers of the same name. A line without a colon has an empty name. */
function withLines(file: unknown, lines: readonly unknown[]): unknown {
  if (file !== undefined && !isObject(file)) return file;
  const given = lines.map((each) => {
    // Library callers can pass anything; a value that is not a line is rejected because it has no name.
    const line = typeof each === 'string' ? each : '';
    const colon = line.indexOf(':');
    return colon === -1 ? (['', ''] as const) : ([line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const);
  });
  const named = new Set(given.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(file ?? {}).filter(([name]) => !named.has(name.toLowerCase()));
  const values = new Map<string, unknown>(kept);
  // Keeps both values of a repeated name: it is rejected with its name.
  for (const [name, value] of given) values.set(name, values.has(name) ? [values.get(name), value] : value);
  return Object.fromEntries(values);
}
