import { type ChatLoadError, usageError } from '../../../base/errors.ts';
import { ms, type Ms } from '../../../base/time.ts';
import type { LoadUnit } from '../document/step.ts';
import type { SearchSettings } from '../search/search.ts';
import { forecast } from '../../../plan/forecast.ts';
import { levelLoad, rampOf } from '../../../plan/level-load.ts';
import { meanTurns } from '../../../plan/distributions.ts';
import type { ResolvedScenario } from '../../../plan/resolve-scenario.ts';
import type { SocketRoom } from '../../../plan/socket-room.ts';
import { assumedReply, checkSockets, foreseeSockets } from '../../../app/run/check-resolved.ts';
import { type Objective, readObjectives, withGuards } from '../judge/objective.ts';
import { seriesTable } from '../../../record/series-table.ts';
import type { Plan } from '../../../plan/plan.ts';

/** A requested search; omitted settings get defaults. */
export interface SearchRequest {
  /** Conditions such as `turn.p95 < 2s`. Default if empty: the gates of the scenario. */
  objectives: readonly string[];
  /** Default: the load of the scenario. */
  by?: LoadUnit | undefined;
  min?: number | undefined;
  max?: number | undefined;
  /** Width of the interval, as a share of its lower end. */
  tolerance?: number | undefined;
  maxStepMs?: Ms | undefined;
  restMs?: Ms | undefined;
}

export interface ResolvedSearch {
  settings: SearchSettings;
  /** True if the objectives are the gates of the scenario. */
  fromGates: boolean;
  /** Gates that cannot be objectives, each with the reason. */
  omitted: readonly string[];
  sockets: SocketRoom;
  rampMs: Ms;
  /** True if `max` was lowered to the limit of this process's sockets. */
  isLowered: boolean;
}

const usualSearch = {
  tolerance: 0.15,
  maxStepMs: ms(300_000),
  maxDurationMs: ms(1_800_000),
  restMs: ms(2000),
  /** Minimum ratio of the maximum to the minimum load. */
  span: 1000,
  /** Default maximum loads. */
  live: 10_000,
  perSecond: 100_000,
} as const;

/**
 * Resolves a search for a scenario's capacity before anything is sent. Throws a usage error for an impossible search, and
 * `environment` if this process lacks sockets for a requested maximum load.
 */
export async function resolveSearch(resolved: ResolvedScenario, request: SearchRequest): Promise<ResolvedSearch> {
  requireSearchable(resolved);
  const { plan } = resolved;
  const { objectives, omitted } = chooseObjectives(request.objectives, plan);
  const by = request.by ?? (plan.load.model === 'closed' ? 'concurrency' : 'rate');
  const usual = usualRange(resolved, by);
  const min = request.min ?? Math.min(usual.min, request.max ?? Infinity);
  const asked = request.max ?? Math.max(min * usualSearch.span, usual.max);
  const isGiven = request.max !== undefined;
  const { max, maxLive, sockets } = await fitSockets(resolved, { by, min, max: asked, isGiven });
  checkRange({ by, min, max });
  const { tolerance = usualSearch.tolerance } = request;
  if (!(tolerance >= 0.02 && tolerance <= 1))
    throw usage(
      `a tolerance of ${String(Number((tolerance * 100).toPrecision(6)))} % is outside 2 % to 100 %.`,
      'Below 2 %, a search takes longer than services remain stable; the default is --tolerance 15%.',
    );
  return {
    settings: {
      by,
      objectives,
      min,
      max,
      maxLive,
      sessionTurns: meanTurns(resolved.script.turns),
      tolerance,
      maxStepMs: request.maxStepMs ?? usualSearch.maxStepMs,
      maxDurationMs: plan.maxDurationMs ?? usualSearch.maxDurationMs,
      isDurationUsual: plan.maxDurationMs === null,
      maxTurns: plan.maxTurns,
      maxSessions: plan.maxSessions,
      maxCost: plan.maxCost,
      restMs: request.restMs ?? usualSearch.restMs,
    },
    fromGates: request.objectives.length === 0,
    omitted,
    sockets,
    rampMs: rampOf(plan, assumedReply(resolved)),
    isLowered: max < asked,
  };
}

/** Throws a usage error for a scenario whose retry policies or trace a search would ignore. */
function requireSearchable({ plan }: ResolvedScenario): void {
  if (plan.retry.length > 1)
    throw usage(
      `the scenario has ${String(plan.retry.length)} retry policies (${plan.retry.map(({ name }) => name).join(', ')}), but a capacity applies to one policy.`,
      'Keep one policy in the scenario, and search once for each.',
    );
  if (plan.load.model === 'open' && plan.load.trace !== undefined)
    throw usage(
      'the load of the scenario replays a trace, which fixes the start of sessions, but a search varies the load.',
      'Derive a scenario from the trace (chat-load fit TRACE) and search with it, or remove load.trace.',
    );
}

/** Returns the default range; a rate starts at 1 % of the rate that keeps one session live, rounded to 1, 2 or 5. */
function usualRange({ plan, script, ...resolved }: ResolvedScenario, by: LoadUnit): { min: number; max: number } {
  if (by === 'concurrency') return { min: 1, max: usualSearch.live };
  const { sessionMs } = forecast(plan, script, assumedReply(resolved));
  return { min: roundDown(10 / Math.max(1, sessionMs)), max: usualSearch.perSecond };
}

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [5, 2, 1].find((each) => each * power <= value * (1 + 1e-9)) ?? 1;
  return Number((digit * power).toPrecision(1));
}

type LoadRange = Pick<SearchSettings, 'by' | 'min' | 'max'>;

/**
 * Lowers a default maximum concurrency to the available sockets. The sockets for a rate depend on the length of sessions,
 * which is unknown, so its concurrency is limited.
 */
async function fitSockets(
  resolved: ResolvedScenario,
  { by, min, max, isGiven }: LoadRange & { isGiven: boolean },
): Promise<{ max: number; maxLive: number; sockets: SocketRoom }> {
  const foresee = async (unit: LoadUnit, level: number): Promise<SocketRoom> => {
    const steady = minuteAt(resolved, unit, level);
    return foreseeSockets(steady, forecast(steady.plan, steady.script, assumedReply(steady)));
  };
  const fitting = ({ shortages }: SocketRoom, level: number): number => {
    const lacking = shortages.filter(({ stops, need }) => stops || need !== 'max');
    const share = 0.9 * Math.min(...lacking.map(({ room, connections }) => room / connections));
    return lacking.length === 0 ? level : Math.max(1, Math.floor(level * share));
  };
  if (isGiven) {
    const sockets = await foresee(by, max);
    if (sockets.shortages.some(({ stops }) => stops)) await checkSockets(minuteAt(resolved, by, max));
    if (by === 'concurrency') return { max, maxLive: max, sockets };
  }
  const wanted = by === 'concurrency' ? max : usualSearch.live;
  const maxLive = Math.max(by === 'concurrency' ? min : 1, fitting(await foresee('concurrency', wanted), wanted));
  const sockets = await foresee('concurrency', maxLive);
  return { max: by === 'concurrency' ? maxLive : max, maxLive, sockets };
}

function minuteAt(resolved: ResolvedScenario, by: LoadUnit, level: number): ResolvedScenario {
  const { plan, ...rest } = levelLoad(resolved, {
    by,
    level,
    seedOffset: 0,
    rampMs: ms(0),
    maxTurns: null,
    maxSessions: null,
    maxCost: null,
    gracePeriodMs: resolved.plan.gracePeriodMs,
  });
  return { ...rest, plan: { ...plan, durationMs: ms(60_000) } };
}

function checkRange({ by, min, max }: LoadRange): void {
  const isWhole = by === 'rate' || (Number.isInteger(min) && Number.isInteger(max));
  if (!isWhole || !(min > 0) || !(max <= 1_000_000))
    throw usage(
      `invalid range of loads, ${String(min)} to ${String(max)}: ${by === 'rate' ? 'rates are above 0 and at most 1,000,000 sessions per second' : 'concurrent sessions are whole numbers from 1 to 1,000,000'}.`,
      'Change --min and --max.',
    );
  if (min >= max)
    throw usage(
      `the minimum load (${String(min)}) is not below the maximum (${String(max)}).`,
      'Leave room between --min and --max: the search climbs from one to the other.',
    );
}

const usage = (message: string, hint: string): ChatLoadError => usageError(message, `Nothing was sent. ${hint}`);

/** Returns the given objectives, otherwise the suitable gates of the scenario. Throws a usage error if there is none, or one cannot be evaluated. */
function chooseObjectives(
  given: readonly string[],
  plan: Pick<Plan, 'gates' | 'target'>,
): Pick<ResolvedSearch, 'omitted'> & Pick<SearchSettings, 'objectives'> {
  if (given.length > 0) {
    const read = readObjectives(given);
    if (!('objectives' in read)) throw refused(read.problems);
    const unseen = plan.target.stream ? [] : read.objectives.filter(needsStreamedReplies);
    if (unseen.length > 0) throw refused(unseen.map(needsStream));
    return { objectives: withGuards(read.objectives), omitted: [] };
  }
  const gates = Object.entries(plan.gates)
    // Every scenario has this default gate.
    .filter(([metric, condition]) => !(metric === 'turns.ok' && condition === '>= 1'))
    .map(([metric, condition]) => readObjectives([`${metric} ${condition}`]));
  const objectives = gates.flatMap((read) => ('objectives' in read ? read.objectives : []));
  const omitted = gates.flatMap((read) => ('objectives' in read ? [] : read.problems));
  if (objectives.length === 0)
    throw usageError(
      [
        'no objectives: there is no --objective, and no gate of the scenario can be one',
        ...omitted.map((problem) => `  ${problem}`),
      ].join('\n'),
      `Nothing was sent. ${example}`,
    );
  return { objectives: withGuards(objectives), omitted };
}

const needsStreamedReplies = ({ series }: Objective): boolean =>
  series.some((name) => seriesTable.some((each) => each.isOfStreams && each.name === name.split('.')[0]));
const needsStream = ({ metric, condition }: Objective): string =>
  `'${metric} ${condition}': ${metric} requires streamed replies, which the scenario does not request (target.stream, --stream)`;

const refused = (problems: readonly string[]): ChatLoadError =>
  usageError(
    `the objectives cannot be evaluated:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    `Nothing was sent. ${example}`,
  );

const example =
  "For example --objective 'turn.p95 < 2s' --objective 'turns.failedShare < 1%'; docs/reference/metrics.md lists the metrics.";
