import { ChatLoadError } from '../../base/errors.ts';
import { ms, type Ms } from '../../base/time.ts';
import type { LoadUnit } from '../../capacity/document/step.ts';
import type { SearchSettings } from '../../capacity/search/search.ts';
import { forecast } from '../../plan/forecast.ts';
import { levelLoad, rampOf } from '../../plan/level-load.ts';
import type { Settled } from '../../plan/settle.ts';
import type { SocketRoom } from '../../plan/socket-room.ts';
import { assumedReply, checkSockets, foreseeSockets } from '../run/check-sockets.ts';
import { chooseObjectives } from './choose-objectives.ts';

/** A search as it is asked for; what is not given is chosen. */
export interface SearchRequest {
  /** `turn.p95 < 2s`; none: the gates of the scenario. */
  objectives: readonly string[];
  /** None: as the load of the scenario is given. */
  by?: LoadUnit | undefined;
  least?: number | undefined;
  most?: number | undefined;
  /** Of the interval, as a share of its lower end. */
  width?: number | undefined;
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
  width: 0.1,
  maxStepMs: ms(300_000),
  maxDurationMs: ms(1_800_000),
  restMs: ms(2000),
  /** Between the lowest and the highest load. */
  span: 1000,
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
  const usualLeast = request.most === undefined ? leastOf(settled, by) : Math.min(leastOf(settled, by), request.most);
  const least = request.least ?? usualLeast;
  const asked = request.most ?? Math.max(least, leastOf(settled, by)) * usualSearch.span;
  const { most, sockets } = await fitSockets(settled, { by, least, most: asked, isGiven: request.most !== undefined });
  checkRange({ by, least, most });
  return {
    settings: {
      by,
      objectives,
      least,
      most,
      width: readWidth(request.width ?? usualSearch.width),
      maxStepMs: request.maxStepMs ?? usualSearch.maxStepMs,
      maxDurationMs: plan.maxDurationMs ?? usualSearch.maxDurationMs,
      maxTurns: plan.maxTurns,
      maxCost: plan.maxCost,
      restMs: request.restMs ?? usualSearch.restMs,
    },
    fromGates: request.objectives.length === 0,
    leftOut,
    sockets,
    rampMs: rampOf(plan, assumedReply(settled)),
    isLowered: most < asked,
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
  if (plan.maxSessions !== null)
    throw usage(
      'maxSessions bounds the sessions of a run, which a search does not count.',
      'Bound the search by --max-turns, --max-duration or --max-cost, and leave maxSessions out.',
    );
}

/** By rate about the pace at which one session is live at a time, in steps of 1, 2 and 5. */
function leastOf({ plan, script, ...settled }: Settled, by: LoadUnit): number {
  if (by === 'concurrency') return 1;
  const { sessionMs } = forecast(plan, script, assumedReply({ plan, script, ...settled }));
  return roundDown(1000 / Math.max(1, sessionMs));
}

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [5, 2, 1].find((each) => each * power <= value * (1 + 1e-9)) ?? 1;
  return Number((digit * power).toPrecision(1));
}

interface AskedRange {
  by: LoadUnit;
  least: number;
  most: number;
  isGiven: boolean;
}

/** A highest load that nobody asked for is one that there are sockets for. */
async function fitSockets(settled: Settled, asked: AskedRange): Promise<{ most: number; sockets: SocketRoom }> {
  const { by, least, isGiven } = asked;
  const look = async (most: number): Promise<SocketRoom> => {
    const level = atMost(settled, by, most);
    return foreseeSockets(level, forecast(level.plan, level.script, assumedReply(level)));
  };
  const sockets = await look(asked.most);
  if (isGiven) {
    if (sockets.shortages.some(({ stops }) => stops)) await checkSockets(atMost(settled, by, asked.most));
    return { most: asked.most, sockets };
  }
  const lacking = sockets.shortages.filter(({ stops, need }) => stops || need !== 'most');
  if (lacking.length === 0) return { most: asked.most, sockets };
  const share = 0.9 * Math.min(...lacking.map(({ room, connections }) => room / connections));
  const most = Math.max(least, by === 'concurrency' ? Math.floor(asked.most * share) : roundDown(asked.most * share));
  return { most, sockets: await look(most) };
}

/** A minute at a level: what it needs of sockets. */
function atMost(settled: Settled, by: LoadUnit, level: number): Settled {
  const { plan, ...rest } = levelLoad(settled, {
    by,
    level,
    seedOffset: 0,
    rampMs: ms(0),
    maxTurns: null,
    maxCost: null,
    gracePeriodMs: settled.plan.gracePeriodMs,
  });
  return { ...rest, plan: { ...plan, durationMs: ms(60_000) } };
}

function checkRange({ by, least, most }: Pick<AskedRange, 'by' | 'least' | 'most'>): void {
  const isWhole = by === 'rate' || (Number.isInteger(least) && Number.isInteger(most));
  if (!isWhole || !(least > 0) || !(most <= 1_000_000))
    throw usage(
      `the loads from ${String(least)} to ${String(most)} cannot be searched: ${by === 'rate' ? 'sessions a second are above 0 and at most 1,000,000' : 'sessions at a time are whole numbers from 1 to 1,000,000'}.`,
      'Give others with --least and --most.',
    );
  if (least >= most)
    throw usage(
      `the lowest load (${String(least)}) is not under the highest (${String(most)}).`,
      'Give --least and --most with room between them: the search climbs from the one to the other.',
    );
}

function readWidth(width: number): number {
  if (width >= 0.02 && width <= 1) return width;
  throw usage(
    `an interval of ${String(Number((width * 100).toPrecision(6)))} % cannot be asked for: from 2 % to 100 %.`,
    'Narrower than 2 % takes longer than services stay the same; --width 10% is usual.',
  );
}

const usage = (message: string, hint: string): ChatLoadError =>
  new ChatLoadError('usage', { message, hint: `Nothing was sent. ${hint}` });
