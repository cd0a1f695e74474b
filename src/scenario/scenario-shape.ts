import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { switchOption } from './closed-object.ts';
import { allowedHosts } from './connection-options.ts';
import { listOption } from './data-options.ts';
import { durationDistribution } from './duration-distribution.ts';
import { duration, positiveDuration } from './duration.ts';
import { embeddedOptions } from './embedded.ts';
import { gatesOption } from './gate-options.ts';
import { integrityOptions } from './integrity-options.ts';
import { loadOptions, loadShape } from './load-options.ts';
import { messageOptions } from './message-options.ts';
import { modelOptions } from './model-options.ts';
import { pricesOption } from './price-options.ts';
import { defaulted, defaultsIn, noted, option, unsetIt } from './option.ts';
import { retryOptions } from './retry-options.ts';
import type {
  DataLists,
  ReplyCheck,
  ReplyCost,
  ThinkTimeOptions,
  ToolFunction,
  ValueTemplate,
} from './scenario-values.ts';
import { abandonOption } from './abandon-options.ts';
import { objectiveOption } from './objective-options.ts';
import { stopOptions, stopShape } from './stop-options.ts';
import { targetOptions } from './target-options.ts';
import { turnOptions } from './turn-options.ts';

export const thinkPresets = { chat: { median: '7.18s', sigma: 0.57 } } as const;
const thinkTime = z
  .custom<ThinkTimeOptions>()
  .transform((value) => (value === 'chat' ? thinkPresets.chat : value))
  .pipe(durationDistribution);

const lists = z
  .custom<DataLists>()
  .pipe(z.record(z.string().regex(/^\w+$/, 'list names are letters, digits and _'), listOption));
const variableValues = z.custom<Readonly<Record<string, ValueTemplate>>>(isObject, {
  error: 'expected an object of variable names and values',
});
const tools = z.record(
  z.string().regex(/^[\w.-]{1,128}$/, 'names are letters, digits, _, . and -'),
  z.custom<ToolFunction>((value) => typeof value === 'function', { error: 'expected a function of the arguments' }),
);

const checks = z.record(
  z.string().regex(/^\w[\w-]*$/, 'names are letters, digits, - and _, and do not begin with -'),
  z.custom<ReplyCheck>((value) => typeof value === 'function', { error: 'expected a function of the reply' }),
);

/** Every field of a scenario file, with its note. */
export const scenarioShape = {
  name: noted(
    z
      .string()
      .regex(
        /^[\w][\w .-]{0,99}$/,
        "expected 1 to 100 letters (a to z), digits, '-', '_', '.' and spaces, with a letter, digit or '_' first",
      ),
    {
      group: 'workload',
      meaning: 'Name of the scenario in reports and result files.',
      limits: 'at most 100 letters, digits, `-`, `_`, `.` and spaces',
      required: true,
    },
  ),
  seed: defaulted(z.int().min(0), {
    group: 'workload',
    meaning:
      'Seed of the values, messages, turn counts and think times of all sessions: the same seed produces the same sessions on any machine.',
    default: 1,
    flag: 'seed',
    takes: 'number',
  }),
  target: noted(targetOptions.prefault({}), {
    group: 'target',
    meaning: 'Service under test; without a base URL, the embedded reference service is started for the run.',
    type: 'TargetOptions',
    without: 'the embedded service',
    isSection: true,
  }),
  embedded: noted(embeddedOptions.prefault({}), {
    group: 'embedded',
    type: 'EmbeddedOptions',
    meaning: 'Behaviour of the embedded reference service: latency, capacity, faults, limits.',
    content: true,
  }),
  model: noted(modelOptions.optional(), {
    group: 'model',
    type: 'ModelOptions',
    meaning:
      'Model service behind the agent: it runs next to the run, and its calls show how much of a turn is the model and how much is the agent. `{}` sets the defaults.',
    without: 'the model calls of the agent are not measured',
    content: true,
    isSection: true,
  }),
  sessions: option(
    z
      .int()
      .min(1)
      .max(2 ** 32 - 1),
    {
      group: 'workload',
      meaning: 'Number of sessions to run.',
      unit: 'sessions',
      plan: 'sessions',
      hashed: true,
      flag: 'sessions',
      ifEmpty: unsetIt,
      takes: 'number',
    },
  ),
  duration: option(positiveDuration, {
    group: 'workload',
    meaning:
      'Time during which new sessions start, such as `90s` or `10m`; active sessions may then finish within the grace period.',
    flag: 'duration',
    ifEmpty: unsetIt,
  }),
  turns: option(turnOptions, {
    group: 'workload',
    meaning:
      "Turns per session: a number, a range, a normal distribution, weights, or a preset (`'public-mix'`, `'support-agent'`). With `messages.next` it is a maximum, and with `fromFile` too if it is a number.",
    type: 'TurnOptions',
    limits: '1 to 100,000',
    without: "the number of messages; with `next` at most 10; with `fromFile` the conversation's own number",
  }),
  load: noted(loadOptions.prefault({}), {
    group: 'load',
    meaning: 'Start of sessions: closed load (`concurrency`), open load (`sessionsPerSecond`) or `stages` of either.',
    type: 'LoadOptions',
    default: defaultsIn(loadShape, ['concurrency']),
    isSection: true,
  }),
  thinkTime: defaulted(thinkTime, {
    group: 'workload',
    meaning: "Wait between the end of a turn and the next turn: a duration, a distribution, or the preset `'chat'`.",
    type: 'ThinkTimeOptions',
    default: '0s',
  }),
  data: noted(lists.prefault({}), {
    type: 'Lists',
    limits: 'names of letters, digits and `_`',
    group: 'workload',
    meaning:
      "Named lists for `{{pick LIST}}`: inline rows, or `{ file }`, a CSV or JSONL file next to the scenario. `{ rows, weight: 'share' }` and `{ file, weight: 'share' }` pick rows in proportion to a field.",
    content: true,
  }),
  variableValues: noted(variableValues.prefault({}), {
    type: 'Readonly<Record<string, ValueTemplate<Lists>>>',
    group: 'workload',
    meaning:
      "Values of the variables in the agent's instructions: templates, plain values, or functions; may be nested.",
    content: true,
  }),
  messages: noted(messageOptions, {
    type: 'MessageOptions<Lists>',
    limits: 'at least one',
    group: 'workload',
    meaning:
      "Messages: turn k sends message k, cyclically. Templates or functions, or one function of the turn; or `{ first, next }`, where `next` receives the reply and returns the next message, or null to end the conversation; or `fromFile('talks.jsonl')`, where a session sends one conversation of the file.",
    without: 'generated messages of the recorded length with `load.trace`; otherwise required',
    content: true,
  }),
  tools: noted(tools.prefault({}), {
    type: 'Readonly<Record<string, ToolFunction<Lists>>>',
    limits: 'names of letters, digits, `_`, `.` and `-`',
    group: 'workload',
    meaning:
      'Answers to tool calls in replies, by tool name: a function of the arguments, whose result is sent in the next turn, without think time. Declare the tools to the API in `target.messageBody`. Without functions, calls are not answered.',
    content: true,
  }),
  checks: noted(checks.prefault({}), {
    type: 'Readonly<Record<string, ReplyCheck>>',
    limits: 'names of letters, digits, `-` and `_`',
    group: 'judging',
    meaning:
      'Additional conditions for replies, by name: a check returns true, false, or a description of the failure; one that throws has failed.',
    content: true,
  }),
  integrity: defaulted(integrityOptions, {
    type: "boolean | 'passive' | IntegrityOptions",
    group: 'judging',
    meaning:
      "Checks that conversations stay intact: `'passive'` only checks replies, `true` or options also add codes and tags to messages for the agent to repeat, `false` turns the checks off.",
    default: 'passive',
  }),
  timeout: defaulted(positiveDuration, {
    group: 'timing',
    meaning: 'Maximum duration of an attempt, including connecting.',
    default: '30s',
    plan: 'timeoutMs',
    hashed: true,
    flag: 'timeout',
  }),
  stallTimeout: option(positiveDuration, {
    group: 'timing',
    meaning:
      'Maximum wait for further content of a streamed reply after its first content, and for the end of the response after the last content; above it the attempt is `timed_out`. SSE comments (keep-alive) and events without content do not count as content. Requires `target.stream`.',
    without: 'unlimited',
    plan: 'stallTimeoutMs',
  }),
  connectTimeout: defaulted(positiveDuration, {
    group: 'timing',
    meaning: 'Maximum time to open a connection.',
    default: '10s',
    plan: 'connectTimeoutMs',
  }),
  idleConnectionTimeout: defaulted(duration, {
    group: 'timing',
    meaning: 'Idle time after which a connection is closed.',
    default: '4s',
    plan: 'idleConnectionMs',
  }),
  maxHeadBytes: defaulted(z.int().min(1024), {
    group: 'limits',
    meaning: 'Maximum size of a response head.',
    default: 64 * 1024,
    plan: 'maxHeadBytes',
    unit: 'bytes',
  }),
  maxBodyBytes: defaulted(z.int().min(1024), {
    group: 'limits',
    meaning: 'Maximum size of a response body.',
    default: 16 * 1024 * 1024,
    plan: 'maxBodyBytes',
    unit: 'bytes',
  }),
  maxEventBytes: defaulted(z.int().min(1024), {
    group: 'limits',
    meaning: 'Maximum size of an event of a streamed reply.',
    default: 1024 * 1024,
    plan: 'maxEventBytes',
    unit: 'bytes',
  }),
  warmUp: defaulted(duration, {
    group: 'timing',
    meaning: 'Sessions and turns that begin within this time are excluded from every published figure.',
    default: '0s',
    plan: 'warmUpMs',
    hashed: true,
    flag: 'warm-up',
  }),
  gracePeriod: defaulted(duration, {
    group: 'timing',
    meaning: 'Time that active sessions may take to finish after the last session start.',
    default: '30s',
    plan: 'gracePeriodMs',
    hashed: true,
  }),
  retry: noted(retryOptions.prefault({}), {
    group: 'retry',
    meaning:
      "Retries of failed attempts: a policy, `'none'`, or several policies by name, to which sessions are assigned by number.",
    type: 'RetryOptions',
    limits: 'policy names of letters, digits, `-` and `_`',
    without: 'one policy with the defaults of its fields',
    isSection: true,
  }),
  onFailedTurn: defaulted(z.enum(['stop', 'continue']), {
    group: 'retry',
    meaning:
      "After a turn has finally failed: end the session (`'stop'`) or continue with the next turn (`'continue'`).",
    default: 'stop',
    plan: 'onFailedTurn',
    hashed: true,
  }),
  reproducibleIds: defaulted(z.boolean(), {
    group: 'workload',
    meaning:
      'Same ids in every run: `{{uuid}}` in `variableValues` and headers then depends on the seed and the session alone. By default it also depends on the run, because a service continues the conversation of an id that it knows.',
    default: false,
  }),
  objective: option(objectiveOption, {
    group: 'judging',
    type: 'Duration | Objectives',
    meaning:
      "Maximum latency of an ok turn that counts for goodput, or several limits that all must be met: `{ turn: '3s', firstToken: '800ms', gap: '500ms' }`, where `gap` is the turn's longest gap and requires `target.stream`; without limits, every ok turn counts.",
  }),
  abandon: option(abandonOption, {
    group: 'workload',
    type: 'AbandonOptions',
    meaning:
      "Users who leave before a reply is complete: the share of turns, drawn by seed, and the time after the send of an attempt, such as `{ share: 0.05, after: '2s' }`. An abandoned turn is not a failure, and the session continues.",
  }),
  gates: noted(gatesOption.prefault({}), {
    type: 'Gates',
    group: 'judging',
    meaning:
      "Pass or fail conditions by metric, such as `{ 'turn.p95': '< 2s', 'turns.failedShare': { gate: '< 5%', abort: true, after: '1m' } }`; `abort` stops the run when the gate fails, `confident: true` compares the end of a percentile's 95 % confidence interval with the limit. `turns.ok >= 1` always applies, unless the scenario has a gate on `turns.ok`.",
  }),
  allowHosts: option(allowedHosts, {
    group: 'target',
    meaning:
      'Hosts that may be loaded besides this machine (loopback): `api.example.com`, `*.example.com`, with or without a port.',
    limits: 'hosts, not URLs',
    without: 'loopback only',
    flag: 'allow-host',
    environment: 'CHAT_LOAD_ALLOW_HOSTS',
    takes: 'list',
  }),
  maxDuration: option(positiveDuration, {
    group: 'limits',
    meaning: 'Maximum duration of the run, whatever else is configured; no session starts after it.',
    without: 'unlimited',
    plan: 'maxDurationMs',
    flag: 'max-duration',
    ifEmpty: unsetIt,
  }),
  maxTurns: option(z.int().min(1), {
    group: 'limits',
    meaning: 'Maximum number of messages sent, including retries.',
    without: 'unlimited',
    unit: 'messages',
    plan: 'maxTurns',
    flag: 'max-turns',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  maxSessions: option(z.int().min(1), {
    group: 'limits',
    meaning: 'Maximum number of sessions created, including retries.',
    without: 'unlimited',
    unit: 'sessions',
    plan: 'maxSessions',
    flag: 'max-sessions',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  cost: option(
    z.custom<ReplyCost>((value) => typeof value === 'function', { error: 'expected a function of data' }),
    {
      group: 'limits',
      type: 'ReplyCost',
      meaning: 'Cost of a reply, computed from its `data`, in any currency: `(data) => Number(data.cost)`.',
      content: true,
    },
  ),
  prices: option(pricesOption, {
    group: 'limits',
    type: 'PriceList | string',
    limits: 'prices by model, or the name of a file with them or with the price map of LiteLLM',
    meaning:
      "Prices per million tokens by model, such as `{ 'model-a': { input: 1.25, cachedInput: 0.125, output: 10 }, asOf: '2026-11-01' }`, or a JSON file: the token usage that replies report then has a cost. `cost` takes precedence.",
    flag: 'prices',
    flagMeaning: 'Price the reported tokens by this JSON file: prices by model, or the price map of LiteLLM',
    ifEmpty: unsetIt,
    content: 'of_file',
  }),
  maxCost: option(z.number().gt(0), {
    group: 'limits',
    meaning:
      'Maximum total cost of replies, in the currency of `cost` or `prices`; nothing more is sent after it is reached.',
    without: 'unlimited',
    plan: 'maxCost',
    flag: 'max-cost',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  stopWhen: noted(stopOptions.prefault({}), {
    group: 'limits',
    meaning: 'Conditions that stop a run without progress.',
    type: 'StopOptions',
    default: defaultsIn(stopShape),
    isSection: true,
  }),
  keepTexts: switchOption(
    'keepTexts',
    'Keep message and reply of failure examples in the result and its journal, with the API key redacted.',
    'output',
  ),
};
