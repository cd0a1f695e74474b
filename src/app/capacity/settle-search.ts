import { ChatLoadError } from '../../base/errors.ts';
import { ms, type Ms } from '../../base/time.ts';
import type { LoadUnit } from '../../capacity/document/step.ts';
import type { SearchSettings } from '../../capacity/search/search.ts';
import { forecast } from '../../plan/forecast.ts';
import { levelLoad, rampOf } from '../../plan/level-load.ts';
import { meanTurns } from '../../plan/distributions.ts';
import type { Settled } from '../../plan/settle.ts';
import type { SocketRoom } from '../../plan/socket-room.ts';
import { assumedReply, checkSockets, foreseeSockets } from '../run/check-settled.ts';
import { type Objective, readObjectives, withGuards } from '../../capacity/objectives/objective.ts';
import { seriesTable } from '../../record/series-table.ts';
import type { Plan } from '../../plan/plan.ts';

/** A search as it is asked for; what is not given is chosen. */
export interface SearchRequest {
  /** `turn.p95 < 2s`; none: the gates of the scenario. */
  objectives: readonly string[];
  /** None: as the load of the scenario is given. */
  by?: LoadUnit | undefined;
  min?: number | undefined;
  max?: number | undefined;
  /** Of the interval, as a share of its lower end. */
  tolerance?: number | undefined;
  maxStepMs?: Ms | undefined;
  /** Behind a broken step, without load. */
  restMs?: Ms | undefined;
}

/** A search that can begin. */
export interface SettledSearch {
  settings: SearchSettings;
  /** Whether the objectives are the scenario's gates. */
  fromGates: boolean;
  /** Gates that are no objectives, each with the reason. */
  leftOut: readonly string[];
  /** What the highest load needs of sockets, and what there is. */
  sockets: SocketRoom;
  /** How long sessions take to start in a step of closed load. */
  rampMs: Ms;
  /** Whether `most` was lowered to what the sockets of this process allow. */
  isLowered: boolean;
}

const usualSearch = {
  tolerance: 0.15,
  maxStepMs: ms(300_000),
  maxDurationMs: ms(1_800_000),
  restMs: ms(2000),
  /** From the lowest load to the highest, at least. */
  span: 1000,
  /** Highest loads. */
  live: 10_000,
  perSecond: 100_000,
} as const;

/**
 * Settles a search of a scenario's capacity, before anything is sent. Throws a usage error for what cannot be searched,
 * and `environment` where this process has no sockets for a highest load that was asked for.
 */
export async function settleSearch(settled: Settled, request: SearchRequest): Promise<SettledSearch> {
  refuseScenario(settled);
  const { plan } = settled;
  const { objectives, leftOut } = chooseObjectives(request.objectives, plan);
  const by = request.by ?? (plan.load.model === 'closed' ? 'concurrency' : 'rate');
  const usual = usualRange(settled, by);
  const min = request.min ?? Math.min(usual.min, request.max ?? Infinity);
  const asked = request.max ?? Math.max(min * usualSearch.span, usual.max);
  const { max, maxLive, sockets } = await fitSockets(settled, {
    by,
    min,
    max: asked,
    isGiven: request.max !== undefined,
  });
  checkRange({ by, min, max });
  return {
    settings: {
      by,
      objectives,
      min,
      max,
      maxLive,
      sessionTurns: meanTurns(settled.script.turns),
      tolerance: readTolerance(request.tolerance ?? usualSearch.tolerance),
      maxStepMs: request.maxStepMs ?? usualSearch.maxStepMs,
      maxDurationMs: plan.maxDurationMs ?? usualSearch.maxDurationMs,
      isDurationUsual: plan.maxDurationMs === null,
      maxTurns: plan.maxTurns,
      maxSessions: plan.maxSessions,
      maxCost: plan.maxCost,
      restMs: request.restMs ?? usualSearch.restMs,
    },
    fromGates: request.objectives.length === 0,
    leftOut,
    sockets,
    rampMs: rampOf(plan, assumedReply(settled)),
    isLowered: max < asked,
  };
}

/** What a search would do without, or mix up. */
function refuseScenario({ plan }: Settled): void {
  if (plan.retry.length > 1)
    throw usage(
      `the scenario has ${String(plan.retry.length)} retry policies (${plan.retry.map(({ name }) => name).join(', ')}), and a capacity is that of one.`,
      'Leave one of them in the scenario, and search once for each.',
    );
  if (plan.load.model === 'open' && plan.load.trace !== undefined)
    throw usage(
      'the load of the scenario replays a trace, which says itself when sessions start: a search raises that from step to step.',
      'Make a scenario of the trace (chat-load fit TRACE) and search with that, or leave load.trace out.',
    );
}

/** By rate from a hundredth of the pace at which one session is live, in steps of 1, 2 and 5. */
function usualRange({ plan, script, ...settled }: Settled, by: LoadUnit): { min: number; max: number } {
  if (by === 'concurrency') return { min: 1, max: usualSearch.live };
  const { sessionMs } = forecast(plan, script, assumedReply({ plan, script, ...settled }));
  return { min: roundDown(10 / Math.max(1, sessionMs)), max: usualSearch.perSecond };
}

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [5, 2, 1].find((each) => each * power <= value * (1 + 1e-9)) ?? 1;
  return Number((digit * power).toPrecision(1));
}

interface AskedRange {
  by: LoadUnit;
  min: number;
  max: number;
  isGiven: boolean;
}

/**
 * A highest concurrency that is not given is one that there are sockets for. A rate needs as many as its sessions are long,
 * which the probe finds out: its own concurrency is bounded.
 */
async function fitSockets(
  settled: Settled,
  { by, min, max, isGiven }: AskedRange,
): Promise<{ max: number; maxLive: number; sockets: SocketRoom }> {
  const foresee = async (unit: LoadUnit, level: number): Promise<SocketRoom> => {
    const steady = atMost(settled, unit, level);
    return foreseeSockets(steady, forecast(steady.plan, steady.script, assumedReply(steady)));
  };
  const fitting = ({ shortages }: SocketRoom, level: number): number => {
    const lacking = shortages.filter(({ stops, need }) => stops || need !== 'max');
    const share = 0.9 * Math.min(...lacking.map(({ room, connections }) => room / connections));
    return lacking.length === 0 ? level : Math.max(1, Math.floor(level * share));
  };
  if (isGiven) {
    const sockets = await foresee(by, max);
    if (sockets.shortages.some(({ stops }) => stops)) await checkSockets(atMost(settled, by, max));
    if (by === 'concurrency') return { max, maxLive: max, sockets };
  }
  const wanted = by === 'concurrency' ? max : usualSearch.live;
  const maxLive = Math.max(by === 'concurrency' ? min : 1, fitting(await foresee('concurrency', wanted), wanted));
  const sockets = await foresee('concurrency', maxLive);
  return { max: by === 'concurrency' ? maxLive : max, maxLive, sockets };
}

/** A minute at a level: what it needs of sockets. */
function atMost(settled: Settled, by: LoadUnit, level: number): Settled {
  const { plan, ...rest } = levelLoad(settled, {
    by,
    level,
    seedOffset: 0,
    rampMs: ms(0),
    maxTurns: null,
    maxSessions: null,
    maxCost: null,
    gracePeriodMs: settled.plan.gracePeriodMs,
  });
  return { ...rest, plan: { ...plan, durationMs: ms(60_000) } };
}

function checkRange({ by, min, max }: Pick<AskedRange, 'by' | 'min' | 'max'>): void {
  const isWhole = by === 'rate' || (Number.isInteger(min) && Number.isInteger(max));
  if (!isWhole || !(min > 0) || !(max <= 1_000_000))
    throw usage(
      `the loads from ${String(min)} to ${String(max)} cannot be searched: ${by === 'rate' ? 'sessions a second are above 0 and at most 1,000,000' : 'sessions at a time are whole numbers from 1 to 1,000,000'}.`,
      'Give others with --min and --max.',
    );
  if (min >= max)
    throw usage(
      `the lowest load (${String(min)}) is not under the highest (${String(max)}).`,
      'Give --min and --max with room between them: the search climbs from the one to the other.',
    );
}

function readTolerance(tolerance: number): number {
  if (tolerance >= 0.02 && tolerance <= 1) return tolerance;
  throw usage(
    `an interval of ${String(Number((tolerance * 100).toPrecision(6)))} % cannot be asked for: from 2 % to 100 %.`,
    'Narrower than 2 % takes longer than services stay the same; --tolerance 15% is usual.',
  );
}

const usage = (message: string, hint: string): ChatLoadError =>
  new ChatLoadError('usage', { message, hint: `Nothing was sent. ${hint}` });

/** What has to hold, and which gates of the scenario say nothing of it. */
interface ChosenObjectives {
  objectives: readonly Objective[];
  /** Gates of the scenario that are no objectives, each with the reason. */
  leftOut: readonly string[];
}

/** The objectives that were given, else the gates of the scenario that can be such. Throws a usage error where there is none, or one cannot be judged. */
function chooseObjectives(given: readonly string[], plan: Pick<Plan, 'gates' | 'target'>): ChosenObjectives {
  if (given.length > 0) {
    const read = readObjectives(given);
    if (!('objectives' in read)) throw refused(read.problems);
    const unseen = plan.target.stream ? [] : read.objectives.filter(isOfPieces);
    if (unseen.length > 0) throw refused(unseen.map(needsStream));
    return { objectives: withGuards(read.objectives), leftOut: [] };
  }
  const gates = Object.entries(plan.gates)
    .filter(([metric, condition]) => !(metric === 'turns.ok' && condition === everyRunHas))
    .map(([metric, condition]) => readObjectives([`${metric} ${condition}`]));
  const objectives = gates.flatMap((read) => ('objectives' in read ? read.objectives : []));
  const leftOut = gates.flatMap((read) => ('objectives' in read ? [] : read.problems));
  if (objectives.length === 0) throw missing(leftOut);
  return { objectives: withGuards(objectives), leftOut };
}

const ofPieces: ReadonlySet<string> = new Set(
  seriesTable.flatMap(({ name, isOfStreams }) => (isOfStreams ? [name] : [])),
);
const isOfPieces = ({ series }: Objective): boolean => series.some((name) => ofPieces.has(name.split('.')[0] ?? name));
const needsStream = ({ metric, condition }: Objective): string =>
  `'${metric} ${condition}': ${metric} is of replies in pieces, and the scenario asks for none (target.stream, --stream)`;

/** The gate of a scenario that has none on turns that were ok. */
const everyRunHas = '>= 1';

const refused = (problems: readonly string[]): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `the objectives cannot be judged:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    hint: `Nothing was sent. ${example}`,
  });

const missing = (leftOut: readonly string[]): ChatLoadError =>
  new ChatLoadError('usage', {
    message: [
      'nothing says what has to hold under the load: there is no --objective, and no gate of the scenario can be one',
      ...leftOut.map((problem) => `  ${problem}`),
    ].join('\n'),
    hint: `Nothing was sent. ${example}`,
  });

const example =
  "Such as --objective 'turn.p95 < 2s' --objective 'turns.failedShare < 1%'; docs/capacity.md says which metrics can be limited.";
