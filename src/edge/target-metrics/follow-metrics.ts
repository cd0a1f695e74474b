import { advise } from '../../base/purposes.ts';
import { messageOf } from '../../base/errors.ts';
import { formatShare } from '../../base/format.ts';
import { isLoopback } from '../../plan/host-names.ts';
import type { MetricsPlan } from '../../plan/plan.ts';
import type { MetricsEndpoint } from '../../result/sections/target-metrics.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { EndpointAccount } from './endpoint-account.ts';
import { Scraper, type MetricsTls } from './scrape.ts';

interface Following {
  tls: MetricsTls;
  /** Ends scrapes at once. */
  cut: AbortSignal;
  /** Called with the first failure of each endpoint. */
  warn: (warning: Warning) => void;
  /** Maximum duration of a scrape, in milliseconds; for tests. */
  limitMs?: number;
}

/** Scrapes every endpoint once before the load, then regularly, and once after it. No failure is an error of the run. */
export async function followMetrics(plans: readonly MetricsPlan[], following: Following) {
  let startedAt: number | undefined;
  const followed = plans.map((plan) => new FollowedEndpoint(plan, following));
  const now = (): number => (startedAt === undefined ? 0 : performance.now() - startedAt);
  await Promise.all(followed.map((each) => each.scrape(now)));
  return {
    /** Starts the regular scrapes. `inMs`: time until the load starts. */
    begin: (inMs = 0): void => {
      startedAt = performance.now() + inMs;
      for (const each of followed) each.begin(now);
    },
    soFar: (): MetricsEndpoint[] => followed.map((each) => each.publish()),
    /** Ends the scrapes of a run that failed. */
    close: (): void => followed.forEach((each) => each.close()),
    /** Scrapes a last time, and closes the connections. */
    end: async (): Promise<{ endpoints: MetricsEndpoint[]; warnings: Warning[] }> => {
      const endpoints = await Promise.all(followed.map((each) => each.end(now)));
      const failed = endpoints.filter((each) => each.failed > 0).map(failedWarning);
      return {
        endpoints,
        warnings: [
          ...failed,
          ...followed.flatMap((each) => each.missing),
          ...endpoints.flatMap((each) => [...withheldWarnings(each), ...busyWarnings(each)]),
        ],
      };
    },
  };
}

class FollowedEndpoint {
  readonly #following: Following;
  readonly #account: EndpointAccount;
  readonly #scraper: Scraper;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #isWarned = false;

  constructor(plan: MetricsPlan, following: Following) {
    this.#following = following;
    this.#account = new EndpointAccount(plan);
    this.#scraper = new Scraper(plan.url, following.tls);
  }

  async scrape(now: () => number, isDuring = false): Promise<void> {
    const { cut, limitMs, warn } = this.#following;
    try {
      this.#account.add(await this.#scraper.scrape(this.#account.wanted, cut, { limitMs }), now(), isDuring);
      const { missing } = this.#account;
      const { url, scrapes } = this.publish();
      if (scrapes === 1 && missing.length > 0) warn(missingWarning(url, missing));
    } catch (thrown) {
      this.#account.fail(messageOf(thrown), now());
      if (!this.#isWarned) warn(failedWarning(this.publish()));
      this.#isWarned = true;
    }
  }

  /** Scrapes at intervals; a slow scrape delays the next one instead of overlapping it. */
  begin(now: () => number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.scrape(now, true).then(() => {
        if (this.#timer !== undefined) this.begin(now);
      });
    }, this.#account.everyMs);
  }

  /** Warns about series that were never found, unless every scrape failed. */
  get missing(): Warning[] {
    const { missing } = this.#account;
    const { url, failed, scrapes } = this.publish();
    return missing.length === 0 || failed === scrapes ? [] : [missingWarning(url, missing)];
  }

  publish(): MetricsEndpoint {
    return this.#account.publish();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#scraper.close();
  }

  async end(now: () => number): Promise<MetricsEndpoint> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#underWay;
    await this.scrape(now);
    await this.#confirm();
    this.close();
    return this.publish();
  }

  /** Scrapes a few more times, each over a new connection: behind one port, another process may answer. */
  async #confirm(): Promise<void> {
    const { cut, limitMs } = this.#following;
    const until = performance.now() + maxConfirmMs;
    for (let nth = 0; nth < confirmations && this.#account.isConfirmable && performance.now() < until; nth++)
      try {
        this.#account.confirm(await this.#scraper.scrape(this.#account.wanted, cut, { limitMs, isFresh: true }));
      } catch {
        return;
      }
  }
}

/** Maximum number of scrapes after the last one. */
const confirmations = 3;

/** Time after which no further one begins, in milliseconds. */
const maxConfirmMs = 1000;

/** Returns the warning that the figures of an endpoint are withheld; none if they are not. */
function withheldWarnings({ url, withheld }: MetricsEndpoint): Warning[] {
  if (withheld === null) return [];
  return [
    {
      code: 'target_metrics_withheld',
      message: `The figures of ${url} are withheld, because several processes answer there, each with counters of its own, or one that restarted: ${withheld}.`,
      remedy:
        'Name the metrics of each process as a URL of its own in target.metrics, or let the processes share one registry (Node.js cluster: AggregatorRegistry of prom-client; Python: PROMETHEUS_MULTIPROC_DIR).',
    },
  ];
}

function failedWarning({ url, failed, scrapes, failure }: MetricsEndpoint): Warning {
  return {
    code: 'target_metrics_failed',
    message: `${String(failed)} of ${String(scrapes)} scrapes of ${url} failed, the latest: ${failure ?? ''}. The figures of the run itself are not affected.`,
    remedy: `Open the URL on this machine: curl ${url}. It must return Prometheus' text format, at most 10 MB within 5 s.`,
  };
}

/** CPU usage between two scrapes from which processes have to wait for a CPU. */
const busyShare = 0.95;

function busyWarnings({ url, metrics }: MetricsEndpoint): Warning[] {
  const usage = metrics.find(({ name }) => name === 'node_cpu_seconds_total')?.lines[0]?.max ?? 0;
  if (usage < busyShare) return [];
  const { hostname, host } = new URL(url);
  const isHere = isLoopback(hostname);
  return [
    {
      code: 'target_cpu_busy',
      message: `The CPUs of ${isHere ? 'this machine' : host} were up to ${formatShare(usage)} busy between two scrapes: ${isHere ? 'chat-load and everything else on it compete for them, and the figures of the target include that' : 'the figures are those of a machine at its limit'}.`,
      remedy: isHere
        ? 'Run chat-load on another machine than the target, or reduce the load.'
        : `Reduce the load to compare releases${advise('highest_load', (command) => `; ${command} finds the highest rate that the target sustains`)}.`,
    },
  ];
}

function missingWarning(url: string, missing: readonly string[]): Warning {
  return {
    code: 'target_metrics_missing',
    message: `${url} has no series ${missing.join(', ')}.`,
    remedy: `Compare the names and labels with target.metrics: curl ${url}`,
  };
}
