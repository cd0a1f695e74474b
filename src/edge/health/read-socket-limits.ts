import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { SocketLimits } from '../../plan/socket-room.ts';

/** The queries to the system; each may fail, and its answer is then unknown. */
export interface SystemSource {
  platform: NodeJS.Platform;
  readText: (path: string) => Promise<string>;
  countEntries: (folder: string) => Promise<number>;
  /** Returns the output of a command. */
  run: (file: string, words: readonly string[]) => Promise<string>;
}

/** Reads the system's limits for this process. Nothing is assumed: a limit that cannot be read is `null`. */
export async function readSocketLimits(system: SystemSource = thisSystem): Promise<SocketLimits> {
  const [descriptors, localPorts] = await Promise.all([readDescriptors(system), readLocalPorts(system)]);
  return { descriptors, localPorts };
}

/** Node.js raises its soft limit to the hard one at its start: the limit after that is read. */
async function readDescriptors(system: SystemSource): Promise<SocketLimits['descriptors']> {
  if (system.platform === 'win32') return null;
  if (system.platform === 'linux') {
    const limits = await ifKnown(system.readText('/proc/self/limits').then(parseOpenFiles));
    if (typeof limits?.soft !== 'number') return null;
    const open = await ifKnown(system.countEntries('/proc/self/fd'));
    return { limit: limits.soft, hard: limits.hard, open: open ?? null };
  }
  // A shell that this process starts has its limits.
  const [soft, hard] = await Promise.all(
    ['ulimit -Sn', 'ulimit -Hn'].map((command) => ifKnown(system.run('/bin/sh', ['-c', command]).then(parseUlimit))),
  );
  return typeof soft === 'number' ? { limit: soft, hard: hard ?? null, open: null } : null;
}

async function readLocalPorts(system: SystemSource): Promise<SocketLimits['localPorts']> {
  if (system.platform === 'linux') {
    const folder = '/proc/sys/net/ipv4';
    const range = await ifKnown(system.readText(`${folder}/ip_local_port_range`).then(parsePortRange));
    if (range === undefined) return null;
    const reserved = await ifKnown(system.readText(`${folder}/ip_local_reserved_ports`));
    return { ...range, reserved: countReserved(reserved ?? '', range), setting: 'net.ipv4.ip_local_port_range' };
  }
  if (system.platform !== 'darwin') return null;
  const setting = 'net.inet.ip.portrange';
  const range = await ifKnown(
    system.run('/usr/sbin/sysctl', ['-n', `${setting}.first`, `${setting}.last`]).then(parsePortRange),
  );
  return range === undefined ? null : { ...range, reserved: 0, setting };
}

/** A failure (no /proc in a container, no such command) means unknown, which is a valid answer. */
const ifKnown = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined);

const thisSystem: SystemSource = {
  platform: process.platform,
  readText: (path) => readFile(path, 'utf8'),
  countEntries: async (folder) => (await readdir(folder)).length,
  run: async (file, words) => (await promisify(execFile)(file, [...words], { timeout: 2000 })).stdout,
};

/** The two limits of a resource; `null`: unlimited. */
interface ResourceLimit {
  soft: number | null;
  hard: number | null;
}

/** Parses the limit on open files in /proc/self/limits. Source: proc_pid_limits(5). */
export function parseOpenFiles(text: string): ResourceLimit | undefined {
  const match = /^Max open files +(\d+|unlimited) +(\d+|unlimited)\b/m.exec(text);
  if (match === null) return undefined;
  return { soft: countOrUnlimited(match[1]), hard: countOrUnlimited(match[2]) };
}

/** Parses the output of `ulimit -n`. */
export function parseUlimit(text: string): number | null | undefined {
  return /^(\d+|unlimited)$/.test(text.trim()) ? countOrUnlimited(text.trim()) : undefined;
}

const countOrUnlimited = (word: string | undefined): number | null => (word === 'unlimited' ? null : Number(word));

/** A range of ports, both ends included. */
interface PortRange {
  first: number;
  last: number;
}

/** Parses a range of two numbers, as in /proc/sys/net/ipv4/ip_local_port_range. Source: ip-sysctl of the kernel. */
export function parsePortRange(text: string): PortRange | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s*$/.exec(text);
  if (match === null) return undefined;
  return { first: Number(match[1]), last: Number(match[2]) };
}

/** Counts the ports of a range that are in a list such as `8080,9148-9150`, as in ip_local_reserved_ports. */
export function countReserved(text: string, { first, last }: PortRange): number {
  const ranges = [...text.matchAll(/(\d+)(?:-(\d+))?/g)].map(([, from, to]) => [Number(from), Number(to ?? from)]);
  return ranges.reduce(
    (sum, [from = 0, to = 0]) => sum + Math.max(0, Math.min(to, last) - Math.max(from, first) + 1),
    0,
  );
}
