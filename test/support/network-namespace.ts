import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const isRoot = process.getuid?.() === 0;
const hasIp = spawnSync('ip', ['-V']).status === 0;
const isCi = /^(1|true)$/.test(process.env['CI'] ?? '');

/** A separate network on this machine, with two links to it. */
export interface NetworkNamespace {
  /** Starts a command in it. */
  by: readonly string[];
  /** Addresses of this machine, at the ends of the cables. */
  hosts: readonly [string, string];
  /** Drops every packet on a cable, like a broken one: neither side is notified. */
  cut(cable: 0 | 1): Promise<void>;
  mend(cable: 0 | 1): Promise<void>;
}

/** Reports whether network namespaces are available; logs it if they are not, and fails if they are required. */
export function requireNamespaces(): boolean {
  const isAllowed = isRoot && hasIp && mayMake();
  if (!isAllowed) console.log(`Cut networks are not tested: ${whyNot()}`);
  test.runIf(isCi && isRoot)('iproute2 is there in continuous integration', () => expect(hasIp).toBe(true));
  return isAllowed;
}

function whyNot(): string {
  if (!isRoot) return 'only root may make network namespaces.';
  return hasIp ? 'network namespaces cannot be made here.' : 'there is no ip here (apt-get install iproute2).';
}

/** Root of a container may lack the right. */
function mayMake(): boolean {
  const name = `chat-load-may-${String(process.pid)}`;
  const words = [
    ['netns', 'add', name],
    ['link', 'add', nameOf(0), 'type', 'veth', 'peer', 'name', 'cable0', 'netns', name],
  ];
  const isMade = words.every((each) => spawnSync('ip', each).status === 0);
  spawnSync('ip', ['link', 'del', nameOf(0)]);
  spawnSync('ip', ['netns', 'del', name]);
  return isMade;
}

/** Makes a namespace for one test. */
export async function openNamespace(): Promise<NetworkNamespace> {
  const name = `chat-load-${String(process.pid)}`;
  await ip('netns', 'add', name);
  onTestFinished(() => ip('netns', 'del', name));
  const cables = [await layCable(name, 0), await layCable(name, 1)] as const;
  const both = async (cable: 0 | 1, verb: string, ...card: string[]): Promise<void> => {
    const [ours, theirs] = cables[cable];
    await ip('neigh', verb, theirs, ...card, 'dev', nameOf(cable));
    await ip('-n', name, 'neigh', verb, ours, ...card, 'dev', `cable${String(cable)}`);
  };
  return {
    by: ['ip', 'netns', 'exec', name],
    hosts: [cables[0][0], cables[1][0]],
    cut: (cable) => both(cable, 'replace', 'lladdr', nobody, 'nud', 'permanent'),
    mend: (cable) => both(cable, 'del'),
  };
}

/** A network interface that does not exist. */
const nobody = '02:00:00:00:00:01';

/** Lays a cable between this machine and a namespace; returns its address at either end. */
async function layCable(name: string, cable: 0 | 1): Promise<readonly [string, string]> {
  const [ours, theirs] = [1, 2].map((end) => addressOf(cable, end)) as [string, string];
  const far = `cable${String(cable)}`;
  await ip('link', 'add', nameOf(cable), 'type', 'veth', 'peer', 'name', far, 'netns', name);
  // A network with open sockets is removed late, as are its links.
  onTestFinished(() => ip('link', 'del', nameOf(cable)));
  await ip('addr', 'add', `${ours}/30`, 'dev', nameOf(cable));
  await ip('link', 'set', nameOf(cable), 'up');
  await ip('-n', name, 'addr', 'add', `${theirs}/30`, 'dev', far);
  await ip('-n', name, 'link', 'set', far, 'up');
  return [ours, theirs];
}

/** The device at the end of this machine; other test runs have theirs. */
const nameOf = (cable: 0 | 1): string => `cl${String(process.pid)}-${String(cable)}`;

/** Returns an address in 198.18.0.0/15, reserved for network tests (RFC 2544): a /30 for each cable. */
function addressOf(cable: number, end: number): string {
  const number = (process.pid % 2 ** 14) * 8 + cable * 4 + end;
  return `198.${String(18 + (number >> 16))}.${String((number >> 8) & 255)}.${String(number & 255)}`;
}

const run = promisify(execFile);
async function ip(...words: string[]): Promise<void> {
  await run('ip', words);
}
