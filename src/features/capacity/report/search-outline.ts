import { formatMs, formatNumber, formatShare, countOf } from '../../../base/format.ts';
import type { SearchSettings } from '../search/search.ts';
import { loadText, loadUnitTexts } from '../words/summarize.ts';
import { printable } from '../../../base/printable.ts';
import type { Plan } from '../../../plan/plan.ts';
import type { SocketRoom } from '../../../plan/socket-room.ts';
import { routeText } from '../../../report/words/target-text.ts';
import { wrap } from '../../../report/words/width.ts';
import { boundsText } from './outcome-text.ts';

export interface PlannedSearch {
  plan: Pick<Plan, 'name' | 'target' | 'load' | 'warmUpMs' | 'sessions' | 'durationMs'>;
  settings: SearchSettings;
  /** True if the objectives are the scenario's gates. */
  fromGates: boolean;
  /** Gates that cannot be objectives, each with the reason. */
  omitted: readonly string[];
  sockets: SocketRoom;
  rampMs: number;
  isLowered: boolean;
  /** Number of processes that send the load. */
  cores: number;
}

/** Describes a search in lines of at most `width` columns, before it starts or in a dry run. */
export function searchOutline(search: PlannedSearch, width: number): string[] {
  const { plan, settings, fromGates, omitted, cores } = search;
  const { by, objectives } = settings;
  const target = (plan.target.baseUrl ?? 'embedded reference service') + routeText(plan.target);
  const lines: (readonly [string, string])[] = [
    ['search', `${plan.name} on ${target}: highest number of ${loadUnitTexts[by]} that meets every objective`],
    ...objectives.map(
      ({ metric, condition, isGuard }, at) =>
        [
          at === 0 ? 'objective' : '',
          `${metric} ${condition}${isGuard ? ' (added, because no objective limits failures)' : fromGates ? ' (a gate of the scenario)' : ''}`,
        ] as const,
    ),
    ...omitted.map((why, at) => [at === 0 ? 'ignored' : '', why] as const),
    ['loads', ladderText(search)],
    ['step', stepText(search)],
    ['limits', boundsText(settings)],
    ['sockets', socketText(search)],
    ...(cores > 1 ? [['cores', `${countOf(cores, 'process', 'processes')} send the load`] as const] : []),
    ...ignoredTexts(plan).map((text, at) => [at === 0 ? 'ignored' : '', text] as const),
  ];
  return lines.flatMap(([name, text]) =>
    wrap(printable(text), width - indent).map((line, at) => `${(at === 0 ? name : '').padEnd(indent)}${line}`),
  );
}

const indent = 10;

function ladderText({ settings: { by, min, max, maxLive, tolerance }, isLowered }: PlannedSearch): string {
  const first = by === 'concurrency' ? min : 1;
  const last = by === 'concurrency' ? max : maxLive;
  const doubled = [first, first * 2, first * 4].filter((load) => load < last).map(formatNumber);
  const lowered = isLowered ? ' (the socket limit of this process)' : '';
  const probe = `probe with ${doubled.join(', ')}, ... concurrent sessions, up to ${formatNumber(last)}${lowered}`;
  const climb = by === 'rate' ? '; then 50 %, 70 %, 85 %, ... of the rate reached, until a step fails' : '';
  return `${probe}${climb}; then narrow the range to within ${formatShare(tolerance)}; from ${formatNumber(min)} to ${loadText(max, by)}`;
}

function stepText({ settings: { by, maxStepMs }, rampMs }: PlannedSearch): string {
  const ramp = by === 'concurrency' && rampMs > 0 ? `; its sessions start over ${formatMs(rampMs)}` : '';
  return `new sessions at a constant load until the objectives are decided, at most ${formatMs(maxStepMs)}${ramp}`;
}

function socketText({ settings: { maxLive }, sockets: { needs, byDescriptors, byPorts } }: PlannedSearch): string {
  const rooms = [byDescriptors, byPorts].filter((each) => each !== null);
  const room = rooms.length === 0 ? '' : `; there is room for ${formatNumber(Math.min(...rooms))}`;
  return `about ${countOf(needs.expected, 'connection')} with ${countOf(maxLive, 'concurrent session')}, more if replies are slow${room}`;
}

/** Lists the load options of the scenario that a search replaces. */
function ignoredTexts({ load, warmUpMs, sessions, durationMs, target }: PlannedSearch['plan']): string[] {
  const isStaged = load.segments.length > 1;
  const replaced = [
    ...(isStaged ? ['stages or ramp'] : ['level']),
    ...(sessions === null ? [] : ['sessions']),
    ...(durationMs === null ? [] : ['duration']),
    ...(warmUpMs > 0 ? ['warmUp (each step detects its own steady state)'] : []),
    ...(load.model === 'open' && load.maxConcurrency !== null ? ['maxConcurrency (it would hide a queue)'] : []),
  ];
  return [
    `options of the scenario that the search sets itself: ${replaced.join(', ')}`,
    ...(target.metrics === undefined
      ? []
      : ['target.metrics: a search does not scrape the target; a run at the load found does']),
  ];
}
