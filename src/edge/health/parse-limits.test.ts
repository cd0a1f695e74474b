import { describe, expect, test } from 'vitest';
import { countReserved, parseOpenFiles, parsePortRange, parseUlimit } from './read-socket-limits.ts';

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
  test('is the line of its own in /proc/self/limits', () => {
    expect(parseOpenFiles(limits('1024', '1048576'))).toEqual({ soft: 1024, hard: 1_048_576 });
    expect(parseOpenFiles(limits('20000', 'unlimited'))).toEqual({ soft: 20_000, hard: null });
  });

  test('is not known where the line is missing', () => {
    expect(parseOpenFiles('')).toBeUndefined();
    expect(parseOpenFiles(limits('1024', '4096').replace('open files', 'open doors'))).toBeUndefined();
  });

  test('is what ulimit prints', () => {
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

  test('is not known from anything else', () => {
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
