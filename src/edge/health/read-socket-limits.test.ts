import { describe, expect, test } from 'vitest';
import {
  readSocketLimits,
  type SystemSource,
  countReserved,
  parseOpenFiles,
  parsePortRange,
  parseUlimit,
} from './read-socket-limits.ts';

const refuse = (path: string): Promise<never> => Promise.reject(new Error(`ENOENT: ${path}`));

/** A system with these texts, keyed by path or by command line. */
const systemOf = (platform: NodeJS.Platform, texts: Readonly<Record<string, string>>): SystemSource => {
  const tell = (name: string): Promise<string> => (name in texts ? Promise.resolve(texts[name] ?? '') : refuse(name));
  return {
    platform,
    readText: tell,
    countEntries: async (folder) => Number(await tell(folder)),
    run: (file, words) => tell([file, ...words].join(' ')),
  };
};

const linux = {
  '/proc/self/limits': 'Max open files            1024                 4096                 files     \n',
  '/proc/self/fd': '23',
  '/proc/sys/net/ipv4/ip_local_port_range': '32768\t60999\n',
  '/proc/sys/net/ipv4/ip_local_reserved_ports': '33000-33009\n',
};

const without = (name: keyof typeof linux): Record<string, string> =>
  Object.fromEntries(Object.entries(linux).filter(([each]) => each !== name));

describe('the limits on sockets', () => {
  test('are read from /proc on Linux', async () => {
    expect(await readSocketLimits(systemOf('linux', linux))).toEqual({
      descriptors: { limit: 1024, hard: 4096, open: 23 },
      localPorts: { first: 32_768, last: 60_999, reserved: 10, setting: 'net.ipv4.ip_local_port_range' },
    });
  });

  test('are returned as far as they can be read', async () => {
    const read = (name: keyof typeof linux) => readSocketLimits(systemOf('linux', without(name)));
    expect((await read('/proc/self/limits')).descriptors).toBeNull();
    expect((await read('/proc/self/fd')).descriptors).toEqual({ limit: 1024, hard: 4096, open: null });
    expect((await read('/proc/sys/net/ipv4/ip_local_port_range')).localPorts).toBeNull();
    expect((await read('/proc/sys/net/ipv4/ip_local_reserved_ports')).localPorts).toMatchObject({ reserved: 0 });
  });

  test('are read from a shell and from sysctl on macOS', async () => {
    const mac = {
      '/bin/sh -c ulimit -Sn': '10240\n',
      '/bin/sh -c ulimit -Hn': 'unlimited\n',
      '/usr/sbin/sysctl -n net.inet.ip.portrange.first net.inet.ip.portrange.last': '49152\n65535\n',
    };
    expect(await readSocketLimits(systemOf('darwin', mac))).toEqual({
      descriptors: { limit: 10_240, hard: null, open: null },
      localPorts: { first: 49_152, last: 65_535, reserved: 0, setting: 'net.inet.ip.portrange' },
    });
  });

  test('are unknown on a system that reports none', async () => {
    const unknown = { descriptors: null, localPorts: null };
    expect(await readSocketLimits(systemOf('win32', {}))).toEqual(unknown);
    expect(await readSocketLimits(systemOf('freebsd', { '/bin/sh -c ulimit -Sn': 'unlimited\n' }))).toEqual(unknown);
  });

  test.runIf(process.platform === 'linux')('are available on Linux', async () => {
    const { descriptors, localPorts } = await readSocketLimits();
    expect(descriptors?.limit).toBeGreaterThan(descriptors?.open ?? Infinity);
    expect(descriptors?.open).toBeGreaterThan(3);
    expect(localPorts?.last).toBeGreaterThan(localPorts?.first ?? Infinity);
  });
});

const limits = (
  soft: string,
  hard: string,
): string => `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max processes             127235               127235               processes 
Max open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     
Max locked memory         8388608              8388608              bytes     
Max realtime timeout      unlimited            unlimited            us        
`;

describe('the limit on open files', () => {
  test('is read from its line in /proc/self/limits', () => {
    expect(parseOpenFiles(limits('1024', '1048576'))).toEqual({ soft: 1024, hard: 1_048_576 });
    expect(parseOpenFiles(limits('20000', 'unlimited'))).toEqual({ soft: 20_000, hard: null });
  });

  test('is unknown if the line is missing', () => {
    expect(parseOpenFiles('')).toBeUndefined();
    expect(parseOpenFiles(limits('1024', '4096').replace('open files', 'open doors'))).toBeUndefined();
  });

  test('is the output of ulimit', () => {
    expect(['256\n', 'unlimited\n', 'sh: ulimit: not found\n', ''].map(parseUlimit)).toEqual([
      256,
      null,
      undefined,
      undefined,
    ]);
  });
});

describe('the range of local ports', () => {
  test('is two numbers apart, on one line or on two', () => {
    expect(parsePortRange('32768\t60999\n')).toEqual({ first: 32_768, last: 60_999 });
    expect(parsePortRange('49152\n65535\n')).toEqual({ first: 49_152, last: 65_535 });
  });

  test('is unknown from any other text', () => {
    for (const text of ['', '32768', '1 2 3', 'a b']) expect(parsePortRange(text)).toBeUndefined();
  });

  test('excludes the reserved ports in it', () => {
    const range = { first: 40_000, last: 40_999 };
    const count = (text: string): number => countReserved(text, range);
    expect(count('\n')).toBe(0);
    expect(count('40000,40999,39999,41000\n')).toBe(2);
    expect(count('8080,9148-9150,40010-40019,40990-42000\n')).toBe(20);
    expect(count('1-65535')).toBe(1000);
  });
});
