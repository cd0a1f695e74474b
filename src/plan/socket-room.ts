import { isIP } from 'node:net';
import type { ConnectionNeeds } from './connection-needs.ts';
import type { Plan } from './plan.ts';

/** What the system lets this process open; `null` if unknown. */
export interface SocketLimits {
  /** File descriptors: the limit in force, the one it can be raised to without privileges, and how many are taken. */
  descriptors: { limit: number; hard: number | null; open: number | null } | null;
  /** Local ports that the system hands out, both ends included; `reserved` of them it keeps back. */
  localPorts: { first: number; last: number; reserved: number; setting: string } | null;
}

/** What there is for connections, and what the run asks of it. */
export interface SocketRoom {
  needs: ConnectionNeeds;
  limits: SocketLimits;
  /** Connections that the descriptors of this process leave room for; `null`: not known. */
  byDescriptors: number | null;
  /** Descriptors that this process keeps for itself. */
  ownDescriptors: number;
  /** Connections to the target that the local ports leave room for; `null`: not known. */
  byPorts: number | null;
  shortages: Shortage[];
}

/** Something that is too scarce for the load. */
export interface Shortage {
  of: 'descriptors' | 'ports';
  /** The surest of the needs that there is no room for. */
  need: 'certain' | 'expected' | 'most';
  connections: number;
  room: number;
  /** Whether a run is not even started. */
  stops: boolean;
}

/** Descriptors for the streams, the result file, the event loop, look-ups and child processes, if they are not open yet. */
const leastOwn = 64;
const stillToOpen = 32;

/** Holds what a run needs against what the system gives. */
export function socketRoom(
  plan: Pick<Plan, 'target' | 'load'>,
  needs: ConnectionNeeds,
  limits: SocketLimits,
): SocketRoom {
  const { descriptors, localPorts } = limits;
  const ownDescriptors = Math.max(leastOwn, (descriptors?.open ?? 0) + stillToOpen);
  const byDescriptors = descriptors && Math.max(0, descriptors.limit - ownDescriptors);
  const byPorts = localPorts && portsOf(localPorts) * Math.max(1, plan.target.localAddresses.length);
  const lacks = [lackOf('descriptors', needs, byDescriptors), lackOf('ports', needs, byPorts)];
  const shortages = lacks
    .filter((lack) => lack !== undefined)
    .map((lack) => ({ ...lack, stops: stopsRun(lack, plan) }));
  return { needs, limits, byDescriptors, ownDescriptors, byPorts, shortages };
}

/** Local ports of one address. */
export function portsOf({ first, last, reserved }: NonNullable<SocketLimits['localPorts']>): number {
  return Math.max(0, last - first + 1 - reserved);
}

/**
 * Whether the ports are those of one pair of addresses. A host name may stand for several addresses, each with the
 * whole range; a local address that was given is bound before the target is known, and has its range once for all.
 */
const hasOneAddress = ({ baseUrl, localAddresses }: Plan['target']): boolean =>
  baseUrl === null || localAddresses.length > 0 || isIP(new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;

type Lack = Omit<Shortage, 'stops'>;

function lackOf(of: Shortage['of'], needs: ConnectionNeeds, room: number | null): Lack | undefined {
  if (room === null) return undefined;
  const need = (['certain', 'expected', 'most'] as const).find((each) => (needs[each] ?? 0) > room);
  return need && { of, need, connections: needs[need] ?? 0, room };
}

/** What is certain stops a run; so does the forecast of closed load, whose level is asked for. Open load is warned. */
function stopsRun({ of, need }: Lack, { target, load }: Pick<Plan, 'target' | 'load'>): boolean {
  if (of === 'ports' && !hasOneAddress(target)) return false;
  return need === 'certain' || (need === 'expected' && load.model === 'closed');
}
