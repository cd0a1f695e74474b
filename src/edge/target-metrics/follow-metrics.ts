import type { MetricsPlan } from '../../plan/plan.ts';
import type { MetricsEndpoint } from '../../result/sections/target-metrics.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { EndpointAccount } from './endpoint-account.ts';
import { reasonOf, Scraper, type MetricsTls } from './scrape.ts';

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
      const ended = await Promise.all(followed.map((each) => each.end(now)));
      return {
        endpoints: ended.map(({ endpoint }) => endpoint),
        warnings: ended.flatMap(({ warnings }) => warnings),
      };
    },
  };
}

class FollowedEndpoint {
  readonly #plan: MetricsPlan;
  readonly #following: Following;
  readonly #account: EndpointAccount;
  readonly #scraper: Scraper;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #isWarned = false;

  constructor(plan: MetricsPlan, following: Following) {
    this.#plan = plan;
    this.#following = following;
    this.#account = new EndpointAccount(plan);
    this.#scraper = new Scraper(plan.url, following.tls);
  }

  async scrape(now: () => number): Promise<void> {
    const { cut, limitMs, warn } = this.#following;
    try {
      const families = await this.#scraper.scrape(this.#account.wanted, cut, limitMs);
      this.#account.add(families, now(), this.#timer !== undefined);
    } catch (thrown) {
      const reason = reasonOf(thrown);
      this.#account.fail(reason, now());
      if (!this.#isWarned) warn(failedWarning(this.#account.publish()));
      this.#isWarned = true;
    }
  }

  begin(now: () => number): void {
    // A scrape that takes longer than the interval delays the next one instead of overlapping it.
    this.#timer = setInterval(() => {
      this.#underWay ??= this.scrape(now).finally(() => (this.#underWay = undefined));
    }, this.#plan.everyMs);
  }

  publish(): MetricsEndpoint {
    return this.#account.publish();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#scraper.close();
  }

  async end(now: () => number): Promise<{ endpoint: MetricsEndpoint; warnings: Warning[] }> {
    clearInterval(this.#timer);
    await this.#underWay;
    this.#timer = undefined;
    await this.scrape(now);
    this.close();
    const endpoint = this.#account.publish();
    return { endpoint, warnings: endpoint.failed > 0 ? [failedWarning(endpoint)] : [] };
  }
}

function failedWarning({ url, failed, scrapes, failure }: MetricsEndpoint): Warning {
  return {
    code: 'target_metrics_failed',
    message: `${String(failed)} of ${String(scrapes)} scrapes of ${url} failed, the latest: ${failure ?? ''}. The figures of the run itself are not affected.`,
    remedy: `Open the URL on this machine: curl ${url}. It must return Prometheus' text format, at most 10 MB within 5 s.`,
  };
}
