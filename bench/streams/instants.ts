import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../finding.ts';
import { startPinned } from '../pinned.ts';
import { withTarget } from '../with-target.ts';
import { streamTarget, type StreamShape } from './stream-shape.ts';
import type { RawLoad } from './raw-client.ts';
import type { StreamRecord } from './target.ts';

/** The send path of a run, and a minimal program. */
const programs = {
  'the send path': fileURLToPath(new URL('raw-client.ts', import.meta.url)),
  'a bare socket': fileURLToPath(new URL('bare-client.ts', import.meta.url)),
} as const;
type Reader = keyof typeof programs;

/** Deviations of one client from the times recorded by the target. */
interface Instants {
  findings: Finding[];
  /** p99 of the deviation of gaps, in milliseconds. */
  gapMs: number;
  /** p99 of the deviation of first tokens, in milliseconds. */
  firstMs: number;
}

/** Measures the deviation of the send path's times from those recorded by the target, per event. */
export async function measureInstants(
  reader: Reader,
  { shape, load }: { shape: StreamShape; load: Omit<RawLoad, 'baseUrl'> },
): Promise<Instants> {
  return withTarget(streamTarget(shape), async (target) => {
    const seen = await readRaw(programs[reader], { ...load, baseUrl: target.baseUrl });
    const written = new Map(((await target.ask('records')) as StreamRecord[]).map((record) => [record.key, record]));
    const gaps = seen.flatMap(({ key, gapsMs }) =>
      gapsMs.map((gap, index) => Math.abs(gap - (written.get(key)?.gapsMs[index] ?? NaN))),
    );
    const firsts = seen.map(({ key, firstMs }) => Math.abs(firstMs - (written.get(key)?.firstMs ?? NaN)));
    const [gapMs, firstMs] = [quantile(gaps, 0.99), quantile(firsts, 0.99)];
    const findings = [
      { what: `gaps compared individually, ${reader}`, value: gaps.length, atLeast: load.streams * load.replies },
      { what: 'difference of a gap from the record of the target, p50', value: quantile(gaps, 0.5), unit: 'ms' },
      { what: 'the same, p99', value: gapMs, unit: 'ms' },
      { what: 'the same, maximum', value: quantile(gaps, 1), unit: 'ms' },
      { what: 'difference of a first token from the record of the target, p99', value: firstMs, unit: 'ms' },
    ];
    return { findings, gapMs, firstMs };
  });
}

async function readRaw(program: string, load: RawLoad): Promise<StreamRecord[]> {
  const command = [process.execPath, '--import', 'jiti/register', program, JSON.stringify(load)] as const;
  const child = startPinned('generator', command, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the raw client ended with ${String(code)}`);
  });
  const [seen] = (await Promise.race([once(child, 'message'), failed])) as [StreamRecord[]];
  failed.catch(() => undefined);
  return seen;
}

/** Returns a quantile; NaN if any value is NaN, for a reply unknown to the target. */
function quantile(values: readonly number[], share: number): number {
  if (values.some(Number.isNaN)) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}
