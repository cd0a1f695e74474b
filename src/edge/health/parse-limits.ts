/** The two limits of a resource; `null`: unlimited. */
interface ResourceLimit {
  soft: number | null;
  hard: number | null;
}

/** Takes the limit on open files from the text of /proc/self/limits. Source: proc_pid_limits(5). */
export function parseOpenFiles(text: string): ResourceLimit | undefined {
  const match = /^Max open files +(\d+|unlimited) +(\d+|unlimited)\b/m.exec(text);
  if (match === null) return undefined;
  return { soft: countOrUnlimited(match[1]), hard: countOrUnlimited(match[2]) };
}

/** Takes one limit from what `ulimit -n` prints. */
export function parseUlimit(text: string): number | null | undefined {
  return /^(\d+|unlimited)$/.test(text.trim()) ? countOrUnlimited(text.trim()) : undefined;
}

const countOrUnlimited = (word: string | undefined): number | null => (word === 'unlimited' ? null : Number(word));

/** A range of ports, both ends included. */
interface PortRange {
  first: number;
  last: number;
}

/** Takes a range from two numbers apart, as in /proc/sys/net/ipv4/ip_local_port_range. Source: ip-sysctl of the kernel. */
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
