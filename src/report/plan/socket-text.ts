import type { Plan } from '../../plan/plan.ts';
import { portsOf, type SocketRoom, type Shortage, type SocketLimits } from '../../plan/socket-room.ts';
import { countOf, formatCount } from '../../base/format.ts';
import type { Style } from '../words/table.ts';

export function socketRows(room: SocketRoom, plan: Plan): [string, string][] {
  return [
    ['connections', connectionsText(room)],
    ['open files', descriptorsText(room, plan)],
    ['local ports', portsText(room, plan)],
  ];
}

/** Describes shortages that would prevent or endanger a run on this machine; '' if there are none. */
export function shortageLines(room: SocketRoom, plan: Plan, { colors }: Style): string {
  const lines = room.shortages.map((shortage) => {
    const { message, remedy } = shortageText(shortage, room, plan);
    const head = shortage.stops ? colors.red('would not start on this machine:') : colors.yellow('warning:');
    return `${head} ${message} ${colors.dim(remedy)}`;
  });
  return lines.join('\n');
}

function connectionsText({ needs: { certain, expected, max } }: SocketRoom): string {
  if (certain === max) return `${formatCount(certain)} at once`;
  const start = certain > expected ? `${formatCount(certain)} at once, then ` : '';
  const bound = max === null ? 'unlimited (set load.maxConcurrency to cap)' : `at most ${formatCount(max)}`;
  return `${start}about ${formatCount(expected)}; ${bound}`;
}

function descriptorsText({ limits, byDescriptors, ownDescriptors }: SocketRoom, { target }: Plan): string {
  if (limits.descriptors === null || byDescriptors === null) return 'limit of this system unknown';
  const own = `limit ${formatCount(limits.descriptors.limit)}, ${String(ownDescriptors)} reserved for the process itself: at most ${countOf(byDescriptors, 'connection')}`;
  return target.baseUrl === null ? `${own}; the embedded service, a separate process, has the same limit` : own;
}

function portsText({ limits: { localPorts }, byPorts }: SocketRoom, { target }: Plan): string {
  if (localPorts === null || byPorts === null) return 'range of this system unknown';
  const ports = `${String(localPorts.first)} to ${String(localPorts.last)}: ${formatCount(portsOf(localPorts))}`;
  const { localAddresses } = target;
  if (localAddresses.length === 0) return `${ports} per target address and port`;
  if (localAddresses.length === 1) return `${ports} from ${localAddresses.join()}`;
  return `${ports} from each of ${localAddresses.join(', ')}: ${formatCount(byPorts)} in total`;
}

export interface ShortageText {
  message: string;
  remedy: string;
}

export function shortageText(shortage: Shortage, room: SocketRoom, plan: Plan): ShortageText {
  const { limits } = room;
  const [has, ways] =
    shortage.resource === 'descriptors'
      ? [descriptorsHad(room), descriptorWays(shortage, room)]
      : [portsHad(limits, plan), portWays(shortage, limits, plan)];
  const remedies = [fewerWay(shortage, plan), rampWay(shortage, room), ...ways].filter((way) => way !== undefined);
  return { message: `${needed(shortage)}, but ${has}.`, remedy: sentence(remedies) };
}

function needed({ need, connections }: Shortage): string {
  switch (need) {
    case 'certain':
      return `the load needs ${countOf(connections, 'connection')} at once`;
    case 'expected':
      return `the load is forecast to need about ${countOf(connections, 'connection')} at once`;
    case 'max':
      return `the load may need up to ${countOf(connections, 'connection')} at once if replies are slow`;
  }
}

const descriptorsHad = ({ limits, byDescriptors, ownDescriptors }: SocketRoom): string =>
  `the limit of ${formatCount(limits.descriptors?.limit ?? 0)} open files leaves room for ${formatCount(byDescriptors ?? 0)} (${String(ownDescriptors)} are reserved for the process itself)`;

function portsHad({ localPorts }: SocketLimits, { target }: Plan): string {
  if (localPorts === null) return 'the local ports are unknown';
  const ports = `${formatCount(portsOf(localPorts))} local ports (${localPorts.setting} is ${String(localPorts.first)} to ${String(localPorts.last)})`;
  const addresses = target.localAddresses.length;
  return addresses < 2
    ? `there are ${ports} per target address`
    : `the ${formatCount(addresses)} local addresses have ${ports} each`;
}

function fewerWay({ room }: Shortage, { load }: Plan): string | undefined {
  if (room < 1) return undefined;
  if (load.model === 'open') return `limit live sessions to ${formatCount(room)} (load.maxConcurrency)`;
  return `run at most ${formatCount(room)} concurrent sessions (--concurrency ${String(room)})`;
}

/** Suggests a ramp: sessions share connections during think times, unless all are created at once. */
const rampWay = ({ need, room }: Shortage, { needs }: SocketRoom): string | undefined =>
  need === 'certain' && needs.expected <= room
    ? `ramp up (load.rampUp), which needs about ${formatCount(needs.expected)} connections at once`
    : undefined;

/** Suggests a higher limit of open files. Node.js raises its soft limit to the hard one, so only the hard one matters. */
function descriptorWays({ connections }: Shortage, { limits, ownDescriptors }: SocketRoom): string[] {
  const enough = String(connections + ownDescriptors);
  const { limit = 0, hard = null } = limits.descriptors ?? {};
  if (hard === null || hard > limit) return [`raise the limit: run \`ulimit -n ${enough}\` in the shell first`];
  return [
    `raise the hard limit: run \`ulimit -n ${enough}\` as root in the shell first, or \`sudo prlimit --pid $$ --nofile=${enough}\`; permanently with nofile in /etc/security/limits.conf, LimitNOFILE= of a systemd unit, --ulimit nofile=${enough} of docker run`,
  ];
}

function portWays({ connections }: Shortage, { localPorts }: SocketLimits, { target }: Plan): string[] {
  if (localPorts === null) return [];
  const { setting } = localPorts;
  const addresses = Math.ceil(connections / Math.max(1, portsOf(localPorts)));
  const widen = setting.startsWith('net.ipv4')
    ? `sudo sysctl -w ${setting}="${String(lowestPort)} ${String(highestPort)}"`
    : `sudo sysctl -w ${setting}.first=${String(lowestPort)}`;
  const isWide = localPorts.first <= lowestPort && localPorts.last >= highestPort;
  return [
    ...(isWide ? [] : [`widen the range: \`${widen}\``]),
    ...(addresses > target.localAddresses.length
      ? [`connect from ${formatCount(Math.max(2, addresses))} addresses of this machine (--local-address)`]
      : []),
  ];
}

const lowestPort = 1024;
const highestPort = 65_535;

const sentence = (ways: readonly string[]): string => {
  const text = ways.join(', or ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
};
