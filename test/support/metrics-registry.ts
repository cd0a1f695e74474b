import { ms } from '../../src/base/time.ts';
import { EndpointAccount } from '../../src/edge/target-metrics/endpoint-account.ts';
import { SampleReader } from '../../src/edge/target-metrics/sample-reader.ts';

type Labels = Readonly<Record<string, string>>;

/** A process with a registry of its own: a counter and a histogram by label set. */
export class Registry {
  readonly sets = new Map<string, { served: number; slow: number }>();
  startSeconds: number | undefined;

  constructor(startSeconds?: number) {
    this.startSeconds = startSeconds;
  }

  serve(labels: Labels, count: number, slow = 0): number {
    const key = Object.entries(labels)
      .map(([name, value]) => `${name}="${value}"`)
      .join(',');
    const set = this.sets.get(key) ?? { served: 0, slow: 0 };
    this.sets.set(key, { served: set.served + count, slow: set.slow + slow });
    return count;
  }

  /** Forgets a label set. */
  forget(key: string): void {
    this.sets.delete(key);
  }

  get text(): string {
    const start = this.startSeconds === undefined ? '' : `process_start_time_seconds ${String(this.startSeconds)}\n`;
    const counters = [...this.sets].map(([key, { served }]) => `served_total{${key}} ${String(served)}\n`);
    const histograms = [...this.sets].map(([key, { served, slow }]) =>
      [
        `took_seconds_bucket{${key},le="0.1"} ${String(served - slow)}`,
        `took_seconds_bucket{${key},le="1"} ${String(served)}`,
        `took_seconds_bucket{${key},le="+Inf"} ${String(served)}`,
        `took_seconds_sum{${key}} ${String(0.05 * (served - slow) + 0.5 * slow)}`,
        `took_seconds_count{${key}} ${String(served)}\n`,
      ].join('\n'),
    );
    return `# TYPE served counter\n${counters.join('')}# TYPE took_seconds histogram\n${histograms.join('')}${start}`;
  }
}

const open = () =>
  new EndpointAccount({
    url: 'http://127.0.0.1:9/metrics',
    series: ['served', 'took_seconds'],
    requests: 'served',
    everyMs: ms(1000),
  });

export function pageOf({ wanted }: EndpointAccount, text: string) {
  const reader = new SampleReader(wanted);
  reader.push(text);
  return reader.end();
}

/** Scrapes these bodies, one a second; the server's clock is `atMs` after 1,000 s. */
export function scrape(bodies: readonly string[], confirmations: readonly string[] = []) {
  const account = open();
  bodies.forEach((text, index) => {
    const atMs = index * 1000;
    const page = { ...pageOf(account, text), serverMs: 1_000_000 + atMs };
    account.add(page, atMs, index > 0 && index < bodies.length - 1);
  });
  for (const text of confirmations) account.confirm(pageOf(account, text));
  const published = account.publish();
  const [served, took] = published.metrics.toSorted((a, b) => a.name.localeCompare(b.name));
  return { ...published, served, took };
}
