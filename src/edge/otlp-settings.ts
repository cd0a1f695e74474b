import type { Warning } from '../result/sections/warning.ts';

/** Settings of the environment for the push of a signal; the exporter itself reads the others. */
export interface OtlpSettings {
  /** Without credentials, for messages. */
  shownUrl: string;
  format: 'protobuf' | 'json';
  /** Time between pushes of metrics. */
  intervalMs: number;
  timeoutMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

const defaultMs = 10_000;

/**
 * Reads OpenTelemetry's variables, first those for the signal, then the general ones. `undefined`: nothing has to be pushed. An
 * unusable value is a warning, because it may be meant for other programs.
 */
export function otlpSettings(
  environment: Environment,
  signal: 'metrics' | 'traces',
): OtlpSettings | Warning | undefined {
  const own = signal.toUpperCase();
  const get = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const general = (name: string): { name: string; value: string } | undefined => {
    const found = [`OTEL_EXPORTER_OTLP_${own}_${name}`, `OTEL_EXPORTER_OTLP_${name}`].find((each) => get(each));
    return found === undefined ? undefined : { name: found, value: get(found) ?? '' };
  };
  if (get('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || get(`OTEL_${own}_EXPORTER`) === 'none') return undefined;
  const unusable = (name: string, problem: string, example: string): Warning => ({
    code: `${signal}_not_exported`,
    message: `${name} ${problem}: no ${signal} are pushed.`,
    remedy: `Set it to ${example}, for instance; OTEL_${own}_EXPORTER=none turns the export off.`,
  });
  const endpoint = general('ENDPOINT');
  if (endpoint === undefined) return undefined;
  const shownUrl = shownOf(endpoint.value);
  if (shownUrl === undefined) return unusable(endpoint.name, 'is not an http or https URL', 'http://localhost:4318');
  const protocol = general('PROTOCOL') ?? { name: '', value: 'http/protobuf' };
  const format = formats[protocol.value];
  if (format === undefined)
    return unusable(protocol.name, `is ${protocol.value}, which chat-load does not support`, 'http/protobuf');
  const intervalMs = lengthOf(get('OTEL_METRIC_EXPORT_INTERVAL')) ?? defaultMs;
  const timeoutMs = lengthOf(general('TIMEOUT')?.value) ?? defaultMs;
  return { shownUrl, format, intervalMs, timeoutMs: Math.min(timeoutMs, intervalMs) };
}

const formats: Readonly<Record<string, OtlpSettings['format']>> = { 'http/protobuf': 'protobuf', 'http/json': 'json' };

function shownOf(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, origin, pathname } = new URL(endpoint);
  return /^https?:$/.test(protocol) ? `${origin}${pathname === '/' ? '' : pathname}` : undefined;
}

function lengthOf(text: string | undefined): number | undefined {
  const ms = Number(text);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}
