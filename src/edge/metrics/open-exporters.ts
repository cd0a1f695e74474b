import { ChatLoadError, messageOf } from '../../base/errors.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { RunExporter } from './exported-metrics.ts';
import { withPackages, type OptionalPackages } from '../optional-packages.ts';
import { otlpSettings } from '../otlp-settings.ts';
import type { ListenAddress } from '../small-server.ts';

interface ExporterOptions {
  /** Address for scrapes; `undefined`: none. */
  scrape: (ListenAddress & { lingerMs: number }) | undefined;
  /** Variables of the export by push. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Called with the addresses of the figures, and with warnings. */
  note: (text: string) => void;
}

export interface OpenExporters {
  exporters: readonly RunExporter[];
  /** Closes the exporters after the last run. */
  close(): Promise<void>;
}

/**
 * Opens the exporters before the first run, so that nothing is loaded during a run. A failure to open an exporter does
 * not end a run: it is reported as a warning, also in the results. Throws a usage error if scraping was requested and
 * OpenTelemetry's packages are missing.
 */
export async function openExporters({ scrape, environment, note }: ExporterOptions): Promise<OpenExporters> {
  const lacks = (warning: Warning): RunExporter => {
    note(`warning: ${warning.message} ${warning.remedy ?? ''}`);
    return { observe: () => ({ end: () => Promise.resolve([warning]) }) };
  };
  const scraped = scrape && (await openScrape(scrape, note));
  if (scraped !== undefined && 'url' in scraped)
    note(`metrics   ${scraped.url}${scraped.isOpen ? ' (other machines can reach it)' : ''}`);
  const pushed = await openPush(environment, note);
  const opened = [scraped, pushed].filter((each) => each !== undefined);
  return {
    exporters: opened.map((each) => ('observe' in each ? each : lacks(each))),
    close: async () => {
      if (scraped !== undefined && 'close' in scraped) await scraped.close();
    },
  };
}

async function openScrape(scrape: ListenAddress & { lingerMs: number }, note: ExporterOptions['note']) {
  const { openScrapeExporter } = await withPackages(exporterPackages, () => import('./scrape-exporter.ts'));
  return openScrapeExporter({ ...scrape, note }).catch((thrown: unknown) => notServed(scrape, thrown));
}

/** Opens the push exporter. Missing packages only cause a note, because the variables may be set for other programs. */
async function openPush(environment: ExporterOptions['environment'], note: ExporterOptions['note']) {
  const settings = otlpSettings(environment, 'metrics');
  if (settings === undefined || 'code' in settings) return settings;
  try {
    const exporter = await withPackages(exporterPackages, async () =>
      (await import('./otlp-exporter.ts')).openOtlpExporter(settings),
    );
    note(`metrics   pushed to ${settings.shownUrl} every ${String(settings.intervalMs / 1000)} s`);
    return exporter;
  } catch (thrown) {
    return notPushed(thrown);
  }
}

const notServed = ({ host, port }: ListenAddress, thrown: unknown): Warning => ({
  code: 'metrics_not_exported',
  message: `Metrics cannot be scraped: ${reasonOf(thrown)} (${host}, port ${String(port)}).`,
  remedy: 'Use another port with --metrics-port (0 selects a free port), or another --metrics-host.',
});

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE'
    ? 'the port is in use'
    : messageOf(thrown);

const notPushed = (thrown: unknown): Warning => ({
  code: 'metrics_not_exported',
  message: `No metrics are pushed, although OTEL_EXPORTER_OTLP_ENDPOINT is set: ${messageOf(thrown)}`,
  remedy: thrown instanceof ChatLoadError ? thrown.hint : null,
});

export const exporterPackages: OptionalPackages = {
  need: "Exporting metrics requires OpenTelemetry's packages",
  names: ['@opentelemetry/'],
};
