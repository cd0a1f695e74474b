import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { allowedHosts } from './address-options.ts';
import { listOption } from './data-options.ts';
import { durationDistribution } from './duration-distribution.ts';
import { duration, positiveDuration } from './duration.ts';
import { embeddedOptions } from './embedded.ts';
import { gatesOption } from './gate-options.ts';
import { integrityOptions } from './integrity-options.ts';
import { loadOptions, loadShape } from './load-options.ts';
import { messageOptions } from './message-options.ts';
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
import { abandonOption, objectiveOption } from './reader-options.ts';
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
      meaning: 'Names the scenario in reports and result files.',
      limits: 'at most 100 letters, digits, `-`, `_`, `.` and spaces',
      required: true,
    },
  ),
  seed: defaulted(z.int().min(0), {
    group: 'workload',
    meaning:
      'Picks the values, messages, turn counts and think times of every session: the same seed gives the same sessions anywhere.',
    default: 1,
    flag: 'seed',
    takes: 'number',
  }),
  target: noted(targetOptions.prefault({}), {
    group: 'target',
    meaning: 'The service to talk to; without a base URL the embedded reference service is started for the run.',
    type: 'TargetOptions',
    without: 'the embedded service',
    isSection: true,
  }),
  embedded: noted(embeddedOptions.prefault({}), {
    group: 'embedded',
    type: 'EmbeddedOptions',
    meaning: 'How the embedded reference service behaves: latency, capacity, faults, limits.',
    content: true,
  }),
  sessions: option(
    z
      .int()
      .min(1)
      .max(2 ** 32 - 1),
    {
      group: 'workload',
      meaning: 'The number of sessions to run.',
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
      'How long new sessions are started, such as `90s` or `10m`; sessions under way may then finish within the grace period.',
    flag: 'duration',
    ifEmpty: unsetIt,
  }),
  turns: option(turnOptions, {
    group: 'workload',
    meaning:
      "Turns of a session: a number, a range, a normal distribution, weights, or a preset (`'public-mix'`, `'support-agent'`). With `messages.next` they are the most that a session has, and with `fromFile`, where they are a number.",
    type: 'TurnOptions',
    limits: '1 to 100,000',
    without: 'the number of messages; with `next` 10, at most; with `fromFile` those of the conversation',
  }),
  load: noted(loadOptions.prefault({}), {
    group: 'load',
    meaning:
      'How sessions are started: closed load (`concurrency`), open load (`sessionsPerSecond`) or `stages` of either.',
    type: 'LoadOptions',
    default: defaultsIn(loadShape, ['concurrency']),
    isSection: true,
  }),
  thinkTime: defaulted(thinkTime, {
    group: 'workload',
    meaning:
      "The wait between the end of a turn and the next turn: a duration, a distribution, or the preset `'chat'`.",
    type: 'ThinkTimeOptions',
    default: '0s',
  }),
  data: noted(lists.prefault({}), {
    type: 'Lists',
    limits: 'names of letters, digits and `_`',
    group: 'workload',
    meaning:
      "Named lists for `{{pick LIST}}`: inline rows, or `{ file }`, a CSV or JSONL file beside the scenario. `{ rows, weight: 'share' }` and `{ file, weight: 'share' }` pick rows in proportion to a field.",
    content: true,
  }),
  variableValues: noted(variableValues.prefault({}), {
    type: 'Readonly<Record<string, ValueTemplate<Lists>>>',
    group: 'workload',
    meaning:
      "Values for the variables that the agent's instructions reference: templates, plain values, or functions; they may be nested.",
    content: true,
  }),
  messages: noted(messageOptions, {
    type: 'MessageOptions<Lists>',
    limits: 'at least one',
    group: 'workload',
    meaning:
      "The messages: turn k takes message k, cyclically. Templates or functions, or one function of the turn; or `{ first, next }`, where `next` takes the reply and returns the next message, or null at the end of the conversation; or `fromFile('talks.jsonl')`, of which a session says one conversation.",
    without: 'made messages of the recorded length, with `load.trace`; required without one',
    content: true,
  }),
  tools: noted(tools.prefault({}), {
    type: 'Readonly<Record<string, ToolFunction<Lists>>>',
    limits: 'names of letters, digits, `_`, `.` and `-`',
    group: 'workload',
    meaning:
      'Answers the tool calls of replies, by the names of the tools: a function of the arguments, whose result is said in the next turn, without think time. What the API is told of the tools is part of `target.messageBody`. Without any, calls are not answered.',
    content: true,
  }),
  checks: noted(checks.prefault({}), {
    type: 'Readonly<Record<string, ReplyCheck>>',
    limits: 'names of letters, digits, `-` and `_`',
    group: 'judging',
    meaning:
      'What a reply must fulfil beyond the contract, by name: a check returns true, false, or a description of what is wrong; one that throws has failed.',
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
    meaning: 'The longest an attempt may take, including connecting.',
    default: '30s',
    plan: 'timeoutMs',
    hashed: true,
    flag: 'timeout',
  }),
  stallTimeout: option(positiveDuration, {
    group: 'timing',
    meaning:
      'The longest wait for further content of a streamed reply, once its content has begun, and for the end of the response after the last content; a longer one is `timed_out`. SSE comments (keep-alive) and events without content do not count as content. Needs `target.stream`.',
    without: 'no bound',
    plan: 'stallTimeoutMs',
  }),
  connectTimeout: defaulted(positiveDuration, {
    group: 'timing',
    meaning: 'The longest that opening a connection may take.',
    default: '10s',
    plan: 'connectTimeoutMs',
  }),
  idleConnectionTimeout: defaulted(duration, {
    group: 'timing',
    meaning: 'How long a connection may stay idle before it is closed.',
    default: '4s',
    plan: 'idleConnectionMs',
  }),
  maxHeadBytes: defaulted(z.int().min(1024), {
    group: 'limits',
    meaning: 'The largest response head that is read.',
    default: 64 * 1024,
    plan: 'maxHeadBytes',
    unit: 'bytes',
  }),
  maxBodyBytes: defaulted(z.int().min(1024), {
    group: 'limits',
    meaning: 'The largest response body that is read.',
    default: 16 * 1024 * 1024,
    plan: 'maxBodyBytes',
    unit: 'bytes',
  }),
  maxEventBytes: defaulted(z.int().min(1024), {
    group: 'limits',
    meaning: 'The largest event of a reply in pieces that is read.',
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
  }),
  gracePeriod: defaulted(duration, {
    group: 'timing',
    meaning: 'How long sessions under way may go on once no new ones start.',
    default: '30s',
    plan: 'gracePeriodMs',
    hashed: true,
  }),
  retry: noted(retryOptions.prefault({}), {
    group: 'retry',
    meaning:
      "When and how failed attempts are repeated: a policy, `'none'`, or several policies by name, to which sessions are dealt by number.",
    type: 'RetryOptions',
    limits: 'policy names of letters, digits, `-` and `_`',
    without: 'one policy with the defaults of its fields',
    isSection: true,
  }),
  onFailedTurn: defaulted(z.enum(['stop', 'continue']), {
    group: 'retry',
    meaning: "After a turn has failed for good: end the session (`'stop'`) or go on with the next turn (`'continue'`).",
    default: 'stop',
    plan: 'onFailedTurn',
    hashed: true,
  }),
  objective: option(objectiveOption, {
    group: 'judging',
    type: 'Duration | Objectives',
    meaning:
      "The turn latency up to which an ok turn counts for goodput, or several limits that all have to hold: `{ turn: '3s', firstToken: '800ms', gap: '500ms' }`, the gap being the turn's longest, which needs `target.stream`; without any, every ok turn counts.",
  }),
  abandon: option(abandonOption, {
    group: 'workload',
    type: 'AbandonOptions',
    meaning:
      "Users who leave before a reply is complete: the share of turns, drawn by seed, and how long after the send of an attempt, such as `{ share: 0.05, after: '2s' }`. An abandoned turn is no failure, and the session goes on.",
  }),
  gates: noted(gatesOption.prefault({}), {
    type: 'Gates',
    group: 'judging',
    meaning:
      "Pass or fail conditions by metric, such as `{ 'turn.p95': '< 2s', 'turns.failedShare': { gate: '< 5%', abort: true, after: '1m' } }`; `abort` stops the run when the gate fails, `confident: true` compares the end of a percentile's 95 % interval with the limit. `turns.ok >= 1` always applies, unless the scenario has a gate on `turns.ok`.",
  }),
  allowHosts: option(allowedHosts, {
    group: 'target',
    meaning:
      'Hosts that may be loaded, besides this machine (loopback): `api.example.com`, `*.example.com`, with or without a port.',
    limits: 'hosts, not URLs',
    without: 'loopback only',
    flag: 'allow-host',
    environment: 'CHAT_LOAD_ALLOW_HOSTS',
    takes: 'list',
  }),
  maxDuration: option(positiveDuration, {
    group: 'limits',
    meaning: 'The longest that the run may take, whatever else is configured; then no new session starts.',
    without: 'no bound',
    plan: 'maxDurationMs',
    flag: 'max-duration',
    ifEmpty: unsetIt,
  }),
  maxTurns: option(z.int().min(1), {
    group: 'limits',
    meaning: 'The most messages that may be sent, including retries.',
    without: 'no bound',
    unit: 'messages',
    plan: 'maxTurns',
    flag: 'max-turns',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  maxSessions: option(z.int().min(1), {
    group: 'limits',
    meaning: 'The most sessions that may be created, including retries.',
    without: 'no bound',
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
      meaning: 'What a reply costs, from its `data`, in any currency: `(data) => Number(data.cost)`.',
      content: true,
    },
  ),
  maxCost: option(z.number().gt(0), {
    group: 'limits',
    meaning: 'Nothing more is sent once replies have cost this much, in the currency of `cost`.',
    without: 'no bound',
    plan: 'maxCost',
    flag: 'max-cost',
    ifEmpty: unsetIt,
    takes: 'number',
  }),
  stopWhen: noted(stopOptions.prefault({}), {
    group: 'limits',
    meaning: 'When a run without progress is stopped.',
    type: 'StopOptions',
    default: defaultsIn(stopShape),
    isSection: true,
  }),
  keepTexts: defaulted(z.boolean({ error: 'expected true or false' }), {
    group: 'output',
    meaning: 'Keep message and reply of failure examples in the result and its journal, with the API key redacted.',
    default: false,
    plan: 'keepTexts',
    flag: 'keep-texts',
    takes: 'switch',
  }),
};
