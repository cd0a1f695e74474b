import { formatMs, formatNumber, formatShare, countOf } from '../../base/format.ts';
import type { SearchSettings } from '../../capacity/search/search.ts';
import { loadText, loadUnitTexts } from '../../capacity/words/summarize.ts';
import type { Plan } from '../../plan/plan.ts';
import type { SocketRoom } from '../../plan/socket-room.ts';
import { wayText } from '../words/target-text.ts';
import { boundsText } from './outcome-words.ts';

/** A search that is about to begin. */
export interface PlannedSearch {
  plan: Pick<Plan, 'name' | 'target' | 'load' | 'warmUpMs' | 'sessions' | 'durationMs'>;
  settings: SearchSettings;
  /** Whether the objectives are the scenario's gates. */
  fromGates: boolean;
  /** Gates that are no objectives, each with the reason. */
  leftOut: readonly string[];
  sockets: SocketRoom;
  rampMs: number;
  isLowered: boolean;
  /** Processes that send the load. */
  cores: number;
}

/** What a search will do, line by line: shown before it begins, and in place of it by a dry run. */
export function searchOutline(search: PlannedSearch): string[] {
  const { plan, settings, fromGates, leftOut, cores } = search;
  const { by, objectives } = settings;
  const target = (plan.target.baseUrl ?? 'embedded reference service') + wayText(plan.target);
  const lines: (readonly [string, string])[] = [
    ['search', `${plan.name} on ${target}: the most ${loadUnitTexts[by]} at which every objective holds`],
    ...objectives.map(
      ({ metric, condition, isGuard }, at) =>
        [
          at === 0 ? 'objective' : '',
          `${metric} ${condition}${isGuard ? ' (no objective limits failures: more than this breaks a load too)' : fromGates ? ' (a gate of the scenario)' : ''}`,
        ] as const,
    ),
    ...leftOut.map((why, at) => [at === 0 ? 'left out' : '', why] as const),
    ['loads', ladderText(search)],
    ['step', stepText(search)],
    ['bounds', boundsText(settings)],
    ['sockets', socketText(search)],
    ...(cores > 1 ? [['cores', `${countOf(cores, 'process', 'processes')} send the load`] as const] : []),
    ...replacedText(plan).map((text, at) => [at === 0 ? 'replaced' : '', text] as const),
  ];
  return lines.map(([name, text]) => `${name.padEnd(10)}${text}`);
}

function ladderText({ settings: { by, min, max, maxLive, tolerance }, isLowered }: PlannedSearch): string {
  const first = by === 'concurrency' ? min : 1;
  const last = by === 'concurrency' ? max : maxLive;
  const doubled = [first, first * 2, first * 4].filter((load) => load < last).map(formatNumber);
  const lowered = isLowered ? ', the most that the sockets of this process allow' : '';
  const probe = `probe with ${doubled.join(', ')}, ... concurrent sessions, up to ${formatNumber(last)}${lowered}`;
  const climb = by === 'rate' ? '; then 50 %, 70 %, 85 %, ... of the rate that it reached, until one is broken' : '';
  return `${probe}${climb}; then between what holds and what breaks, to within ${formatShare(tolerance)}; from ${formatNumber(min)} to ${loadText(max, by)}`;
}

function stepText({ settings: { by, maxStepMs }, rampMs }: PlannedSearch): string {
  const ramp = by === 'concurrency' && rampMs > 0 ? `; its sessions start over ${formatMs(rampMs)}` : '';
  return `fresh sessions at one load, until it is known whether the objectives hold, for ${formatMs(maxStepMs)} at most${ramp}`;
}

function socketText({ settings: { maxLive }, sockets: { needs, byDescriptors, byPorts } }: PlannedSearch): string {
  const rooms = [byDescriptors, byPorts].filter((each) => each !== null);
  const room = rooms.length === 0 ? '' : `; there is room for ${formatNumber(Math.min(...rooms))}`;
  return `about ${countOf(needs.expected, 'connection')} with ${countOf(maxLive, 'concurrent session')}, more if replies are slow${room}`;
}

/** What the scenario says of the load, and a search sets itself. */
function replacedText({ load, warmUpMs, sessions, durationMs }: PlannedSearch['plan']): string[] {
  const isStaged = load.segments.length > 1;
  const replaced = [
    ...(isStaged ? ['stages or ramp'] : ['level']),
    ...(sessions === null ? [] : ['sessions']),
    ...(durationMs === null ? [] : ['duration']),
    ...(warmUpMs > 0 ? ['warmUp (each step finds when it has settled)'] : []),
    ...(load.model === 'open' && load.maxConcurrency !== null ? ['maxConcurrency (a queue would hide behind it)'] : []),
  ];
  return [`of the scenario's load: ${replaced.join(', ')}`];
}
