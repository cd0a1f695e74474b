import { renderComparison } from '../../test/support/render-outline.ts';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import picocolors from 'picocolors';
import type { Comparison } from '../../src/compare/document/comparison.ts';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { Finding } from '../finding.ts';
import { isPinning, startPinned } from '../pinned.ts';

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const scenario = fileURLToPath(new URL('../scenarios/release.ts', import.meta.url));

/** Median latency 20 ms, and 40 ms more for one reply in fifty. */
const usual: EmbeddedOptions = release('20ms', '40ms');
const slower: EmbeddedOptions = release('23ms', '46ms');
const slowTail: EmbeddedOptions = release('20ms', '160ms');

function release(median: '20ms' | '23ms', stall: '40ms' | '46ms' | '160ms'): EmbeddedOptions {
  return { latency: { median, sigma: 0.3 }, faults: [{ kind: 'stall', for: stall, share: 0.02 }] };
}

/** Runs releases of the reference service alternately and compares them with the real command. */
export async function compareReleases(report: (text: string) => void): Promise<Finding[]> {
  const measure = async (name: string, head: EmbeddedOptions, pairs: number): Promise<Comparison> => {
    report(`${name}: ${String(pairs)} pairs`);
    return runPairs(head, pairs);
  };
  const same = await measure('the same release twice', usual, 10);
  const slow = await measure('a release that is 15 % slower', slower, 5);
  const tail = await measure('a release with a tail three times as slow', slowTail, 5);
  report(renderComparison(tail, { width: 80, colors: picocolors.createColors(false) }));
  return [
    { what: 'the same release, 10 pairs: metrics reported as regressed', value: regressed(same).length, atMost: 0 },
    {
      what: '15 % slower, 5 pairs: change of p50 found',
      value: changeOf(slow, 'turn.ok.p50'),
      atLeast: 0.1,
      atMost: 0.2,
    },
    { what: '15 % slower, 5 pairs: metrics that decide and regressed', value: regressed(slow).length, atLeast: 1 },
    {
      what: 'tail three times as slow, 5 pairs: p99 over the p99 of the base',
      value: 1 + changeOf(tail, 'turn.ok.p99'),
      atLeast: 2,
    },
    {
      what: 'tail three times as slow: reported as a shift of the tail (1: yes)',
      value: Number(tail.localization?.shape === 'tail'),
      atLeast: 1,
    },
  ];
}

/** Returns the deciding metrics that regressed. */
const regressed = ({ metrics }: Comparison): string[] =>
  metrics.filter(({ isGated, verdict }) => isGated && verdict === 'regressed').map(({ name }) => name);

function changeOf({ metrics }: Comparison, name: string): number {
  const found = metrics.find((metric) => metric.name === name);
  return found?.verdict === 'regressed' ? (found.change ?? 0) : 0;
}

async function runPairs(head: EmbeddedOptions, pairs: number): Promise<Comparison> {
  const folder = mkdtempSync(join(tmpdir(), 'chat-load-releases-'));
  const [base, other] = [await serve(usual, folder), await serve(head, folder)];
  try {
    const words = [scenario, '--base', base.url, '--head', other.url, '--pairs', String(pairs)];
    const pinned = isPinning ? ['taskset', '-c', '0'] : [];
    const [file, ...rest] = [...pinned, process.execPath, command, 'ab', ...words, '--out', folder];
    const ended = spawnSync(file, [...rest, '--quiet', '--format', 'json'], {
      encoding: 'utf8',
      maxBuffer: 1e8,
      env: { ...process.env, CHAT_LOAD_API_KEY: 'chat-load-embedded-key' },
    });
    if (ended.stdout === '') throw new Error(`ab failed: ${ended.stderr}`);
    return JSON.parse(ended.stdout) as Comparison;
  } finally {
    base.stop();
    other.stop();
    rmSync(folder, { recursive: true });
  }
}

async function serve(options: EmbeddedOptions, folder: string): Promise<{ url: string; stop: () => void }> {
  const config = join(folder, `${String(Math.random()).slice(2)}.service`);
  writeFileSync(config, JSON.stringify(options));
  const words = [command, 'serve', '--port', '0', '--config', config] as const;
  const child = startPinned('target', [process.execPath, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = child.stdout === null ? [''] : ((await once(child.stdout, 'data')) as [Buffer]);
  const url = /http:\/\/[\d.:]+/.exec(String(line))?.[0] ?? '';
  return { url, stop: () => void child.kill() };
}
