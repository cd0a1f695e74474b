import { isCredential } from '../base/header-field.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import { integrityShape, integrityPromptsShape } from '../scenario/integrity-options.ts';
import type { ReadList } from '../scenario/data-options.ts';
import { budgetShape, retryShape, type ResolvedPolicy } from '../scenario/retry-options.ts';
import { branches, isFromFile } from '../scenario/message-options.ts';
import { scenarioShape } from '../scenario/scenario-shape.ts';
import type { ReadScenario } from '../scenario/schema.ts';
import type { ReadPrices } from '../scenario/price-options.ts';
import { createShape, targetShape } from '../scenario/target-options.ts';
import { tlsShape } from '../scenario/tls-options.ts';
import { digestOf } from './digest.ts';
import { isMade, promptLength, messagesOf, turnsOf } from './script.ts';
import type { Plan, RetryPolicy, Load, Segment, TracePlan } from './plan.ts';
import { hashedValues, plannedValues } from './planned-options.ts';
import { listedLines, type ResolvedReplay } from './replay.ts';
import { modelPlanOf, modelWorkloadOf } from './model-plan.ts';
import { planOfPrices } from './resolve-prices.ts';
import type { AuthKind } from './resolve-auth.ts';
import { ms, type Ms } from '../base/time.ts';
import { anyLoadShape, isOpenLoad, loadShape, openLoadShape, type ReadLoad } from '../scenario/load-options.ts';
import { orDefault } from '../scenario/option.ts';

interface Settling {
  agentId: string;
  auth: AuthKind;
  /** Name of the proxy. */
  proxy: string | null;
  options: Plan['options'];
  replayed: ResolvedReplay | undefined;
  prices: ReadPrices | undefined;
}

/** Builds the plan of a scenario as read. */
export function planOf(scenario: ReadScenario, { agentId, auth, proxy, options, replayed, prices }: Settling): Plan {
  const asRead = plannedValues(scenarioShape, scenario);
  const workload = workloadOf(scenario, replayed);
  const { target, embedded } = scenario;
  const headers = headersIn(target);
  return {
    name: scenario.name,
    hash: hashOf(workload, {
      ...hashedValues(scenarioShape, asRead),
      stallTimeoutMs: scenario.stallTimeout,
      messageBody: givenIn(target.messageBody),
      headers: givenIn(headers),
      model: scenario.model && modelWorkloadOf(scenario.model),
    }),
    seed: scenario.seed,
    target: {
      baseUrl: target.baseUrl ?? null,
      agentId,
      auth,
      ...factsOf(target.protocol, target),
      localAddresses: target.localAddresses ?? [],
      proxy,
      headers,
      createSession: plannedValues(createShape, target.createSession),
      tls: plannedValues(tlsShape, target.tls),
      dnsRefreshMs: target.dnsRefresh || null,
      ...plannedValues(targetShape, target),
      ...(target.metrics !== undefined && { metrics: target.metrics }),
      ...(scenario.model !== undefined && { trace: true }),
    },
    embedded: target.baseUrl === undefined ? withoutKeys(embedded) : null,
    ...(scenario.model !== undefined && { model: modelPlanOf(scenario.model) }),
    tools: {},
    ...conversationsIn(scenario),
    ...workload,
    ...asRead,
    ...limitsOf(scenario),
    prices: planOfPrices(prices),
    objectiveMs: scenario.objective?.turn ?? null,
    objectiveFirstTokenMs: scenario.objective?.firstToken ?? null,
    objectiveGapMs: scenario.objective?.gap ?? null,
    options,
  };
}

/** Credentials differ between machines and days, and the digest of a short one would reveal it. */
const headersIn = ({ headers }: ReadScenario['target']): Plan['target']['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, { hash: isCredential(name) ? null : digestOf(value) }]),
  );

/** Properties of a protocol: code that reads a plan never decides by its name. */
function factsOf(
  protocol: ChatProtocol,
  target: Pick<Plan['target'], 'conversation'>,
): Pick<
  Plan['target'],
  'protocol' | 'createsSessions' | 'history' | 'polls' | 'pollEveryMs' | 'listens' | 'transport'
> {
  const { name, history, pollEveryMs, listens, transport } = protocol;
  return {
    protocol: name,
    createsSessions: protocol.createsSessions(target),
    history,
    polls: pollEveryMs !== undefined,
    ...(pollEveryMs !== undefined && { pollEveryMs }),
    ...(listens && { listens }),
    ...(transport && { transport }),
  };
}

/** Hashes a workload; some fields are included only if they are set. */
function hashOf({ abandon, instructions, load, ...workload }: ReturnType<typeof workloadOf>, asRead: object): string {
  return digestOf({
    ...workload,
    ...asRead,
    load: hashedLoad(load),
    abandon: abandon ?? undefined,
    instructions: instructions ?? undefined,
  });
}

/** Identifies a trace by its contents, not its path. */
const hashedLoad = (load: Plan['load']): object =>
  load.model === 'open' && load.trace !== undefined ? { ...load, trace: { ...load.trace, file: undefined } } : load;

const givenIn = <Value extends object>(value: Value): Value | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

/** Returns the workload: results with the same workload have the same scenario. Options that are hashed as read are separate. */
const workloadOf = (scenario: ReadScenario, replayed: ResolvedReplay | undefined) => ({
  durationMs: scenario.duration ?? stagesLength(scenario.load) ?? replayed?.durationMs ?? null,
  turns: replayed?.turns ?? turnsOf(scenario),
  load: resolveLoad(scenario.load, replayed),
  thinkTime: replayed?.thinkTime ?? scenario.thinkTime,
  data: mapValues(scenario.data, digestOfList),
  variableValues: mapValues(scenario.variableValues, (value) => ({ hash: digestOf(value) })),
  messages: digestOfMessages(scenario),
  ...(Object.keys(scenario.tools).length === 0
    ? {}
    : { tools: mapValues(scenario.tools, (tool) => ({ hash: digestOf(tool) })) }),
  checks: mapValues(scenario.checks, (check) => ({ hash: digestOf(check) })),
  integrity: resolveIntegrity(scenario),
  abandon: scenario.abandon === undefined ? null : { share: scenario.abandon.share, afterMs: scenario.abandon.after },
  instructions: scenario.target.instructions === undefined ? null : { hash: digestOf(scenario.target.instructions) },
  retry: Object.entries(scenario.retry).map(([name, policy]) => policyOf(name, policy)),
});

/** Returns the limits that stop a run or prevent its start: not part of the workload, so not of its hash. */
const limitsOf = ({ gates, cost, stopWhen, ...scenario }: ReadScenario) => ({
  // No data is never green: a run without any ok turn only passes if its author set a different gate.
  gates: { ...mapValues(gates, ({ gate }) => gate), 'turns.ok': gates['turns.ok']?.gate ?? '>= 1' },
  abortGates: Object.fromEntries(
    Object.entries(gates).flatMap(([metric, { abortAfterMs: afterMs }]) =>
      afterMs === undefined ? [] : [[metric, { afterMs }]],
    ),
  ),
  confidentGates: Object.keys(gates).filter((metric) => gates[metric]?.isConfident === true),
  allowHosts: scenario.allowHosts ?? [],
  cost: cost === undefined ? null : { hash: digestOf(cost) },
  stopWhen: {
    unusable: stopWhen.unusable || null,
    noSuccessMs: stopWhen.noSuccess || null,
    targetGoneMs: stopWhen.targetGone || null,
  },
});

function resolveIntegrity({ integrity, target }: ReadScenario): Plan['integrity'] {
  const { mode, prompts, transcript } = integrity;
  const usual = target.baseUrl === undefined && mode === 'active' ? 'conversation' : null;
  return {
    mode,
    prompts: plannedValues(integrityPromptsShape, prompts),
    transcript: transcript === undefined ? usual : transcript,
    ...plannedValues(integrityShape, integrity),
  };
}

const policyOf = (name: string, policy: ResolvedPolicy): RetryPolicy => ({
  name,
  classes: policy.classes,
  ...plannedValues(retryShape, policy),
  ...(policy.idempotent && { idempotent: true }),
  budget: policy.budget === undefined ? null : plannedValues(budgetShape, policy.budget),
});

const withoutKeys = ({ keys, ...rest }: ReadScenario['embedded']): Record<string, unknown> => ({
  ...rest,
  keys: keys.length,
});

const digestOfList = (list: ReadList) => {
  if ('file' in list) return { count: 0, hash: digestOf(list) };
  const { rows, weight } = list;
  return { count: rows.length, hash: digestOf(weight === undefined ? rows : list) };
};

/** Describes the messages; the digest covers a file's contents and how they are used, not its name. */
function digestOfMessages(scenario: ReadScenario): Plan['messages'] {
  const { messages } = scenario;
  if (isFromFile(messages)) {
    const { order, system } = messages;
    const { count = 0, digest } = messages.source?.() ?? {};
    return { count, hash: digestOf({ digest, order, system }) };
  }
  const prompts = promptLength(messages);
  return {
    count: messagesOf(scenario).length,
    hash: digestOf(isMade(messages) ? 'made' : (prompts ?? messages)),
    ...(prompts === undefined ? {} : { prompts }),
    ...(branches(messages) ? { branches: true as const } : {}),
  };
}

function conversationsIn({ messages }: ReadScenario): Pick<Plan, 'conversations'> {
  const source = isFromFile(messages) ? messages.source?.() : undefined;
  if (source === undefined || !isFromFile(messages)) return {};
  const { file, order } = messages;
  const { skipped, merged } = source;
  const listed = { lines: skipped.lines, first: skipped.first.slice(0, listedLines) };
  return { conversations: { file, order, merged, skipped: listed } };
}

const mapValues = <In, Out>(record: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** Converts the author's load into levels over time. Levels are concurrent sessions (closed) or sessions per second (open). */
function resolveLoad(load: ReadLoad, replayed?: { segments: Segment[]; plan: TracePlan }): Load {
  const segments = replayed?.segments ?? segmentsOf(load);
  const any = plannedValues(anyLoadShape, load);
  if (!isOpenLoad(load)) return { model: 'closed', segments, ...any };
  return {
    model: 'open',
    segments,
    arrivals: arrivalsOf(load),
    ...(replayed && { trace: replayed.plan }),
    ...plannedValues(openLoadShape, load),
    ...any,
  };
}

function arrivalsOf(load: ReadLoad): { kind: 'constant' } | { kind: 'gamma'; burstiness: number } {
  const kind = orDefault(loadShape.arrivals, load.arrivals);
  return kind === 'constant' ? { kind } : { kind: 'gamma', burstiness: load.burstiness ?? 1 };
}

function segmentsOf(load: ReadLoad): Segment[] {
  const stages = load.stages?.map((stage) => ({
    durationMs: stage.duration,
    level: stage.concurrency ?? stage.sessionsPerSecond ?? 0,
  }));
  const level = load.sessionsPerSecond ?? orDefault(loadShape.concurrency, load.concurrency);
  return joinStages(stages ?? [{ durationMs: orDefault(loadShape.rampUp, load.rampUp), level }]);
}

/** Lays stages end to end, and holds the last level until the run ends. */
function joinStages(stages: readonly { durationMs: Ms; level: number }[]): Segment[] {
  const segments: Segment[] = [];
  let startMs = 0;
  let from = 0;
  for (const { durationMs, level } of stages) {
    const endMs = startMs + durationMs;
    if (durationMs > 0) segments.push({ startMs: ms(startMs), endMs: ms(endMs), from, to: level });
    startMs = endMs;
    from = level;
  }
  return [...segments, { startMs: ms(startMs), endMs: null, from, to: from }];
}

/** Returns the total duration of a load's stages; `undefined` for a load without stages. */
function stagesLength(load: ReadLoad): Ms | undefined {
  return load.stages && ms(load.stages.reduce((sum, stage) => sum + stage.duration, 0));
}
