import type { Plan } from '../../plan/plan.ts';
import { portsOf, type SocketRoom } from '../../plan/socket-room.ts';
import { countOf, formatCount } from '../words/format.ts';
import type { Style } from '../words/table.ts';
import { shortageText } from './shortage-text.ts';

/** The rows of a plan on what the system must allow: connections, descriptors, local ports. */
export function socketRows(room: SocketRoom, plan: Plan): [string, string][] {
  return [
    ['connections', connectionsText(room)],
    ['open files', descriptorsText(room, plan)],
    ['local ports', portsText(room, plan)],
  ];
}

/** Whether a run would start here, where something is too scarce for it; else ''. */
export function shortageLines(room: SocketRoom, plan: Plan, { colors }: Style): string {
  const lines = room.shortages.map((shortage) => {
    const { message, remedy } = shortageText(shortage, room, plan);
    const head = shortage.stops ? colors.red('would not start here:') : colors.yellow('warning:');
    return `${head} ${message} ${colors.dim(remedy)}`;
  });
  return lines.join('\n');
}

function connectionsText({ needs: { certain, expected, most } }: SocketRoom): string {
  if (certain === most) return `${formatCount(certain)} at once`;
  const start = certain > expected ? `${formatCount(certain)} at once, then ` : '';
  const bound = most === null ? 'no bound (load.maxConcurrency sets one)' : `at most ${formatCount(most)}`;
  return `${start}about ${formatCount(expected)}; ${bound}`;
}

function descriptorsText({ limits, byDescriptors, ownDescriptors }: SocketRoom, { target }: Plan): string {
  if (limits.descriptors === null || byDescriptors === null) return 'the limit of this system is unknown';
  const own = `${formatCount(limits.descriptors.limit)} allowed, ${String(ownDescriptors)} for the process itself: room for ${countOf(byDescriptors, 'connection')}`;
  return target.baseUrl === null ? `${own}; the same for the embedded service, a process of its own` : own;
}

function portsText({ limits: { localPorts }, byPorts }: SocketRoom, { target }: Plan): string {
  if (localPorts === null || byPorts === null) return 'the range of this system is unknown';
  const ports = `${String(localPorts.first)} to ${String(localPorts.last)}: ${formatCount(portsOf(localPorts))}`;
  const { localAddresses } = target;
  if (localAddresses.length === 0) return `${ports} to each address and port of the target`;
  if (localAddresses.length === 1) return `${ports} from ${localAddresses.join()}`;
  return `${ports} from each of ${localAddresses.join(', ')}: ${formatCount(byPorts)} in all`;
}
