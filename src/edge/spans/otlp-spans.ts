import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { messageOf } from '../../base/errors.ts';
import { resourceOf, type NamedRun } from '../otlp-resource.ts';
import type { OtlpSettings } from '../otlp-settings.ts';
import { JsonSpans } from './json-spans.ts';
import { ProtobufSpans } from './protobuf-spans.ts';
import type { WrittenResource } from './span-form.ts';
import type { SpanSink } from './span-queue.ts';

export interface SpanExportOptions {
  run: NamedRun;
  /** Milliseconds from an instant of the spans to the same one of `performance.now()`. */
  offsetMs: number;
  /** Redacts secrets in attributes. */
  redact: (text: string) => string;
}

/** Opens an export with OpenTelemetry's transport, which reads its own variables. */
export function openOtlpSpans(
  { format }: Pick<OtlpSettings, 'format'>,
  { run, offsetMs, redact }: SpanExportOptions,
): SpanSink {
  const texts = Object.entries(resourceOf(run).attributes).map(([name, value]) => [name, String(value)]);
  const scope = { name: 'chat-load', version: run.run.toolVersion };
  const resource: WrittenResource = { attributes: Object.fromEntries(texts) as Record<string, string>, scope };
  const form = format === 'json' ? new JsonSpans(resource) : new ProtobufSpans(resource);
  const headers = { 'Content-Type': format === 'json' ? 'application/json' : 'application/x-protobuf' };
  const delegate = createOtlpHttpExportDelegate<Uint8Array, object>(
    convertLegacyHttpOptions({}, 'TRACES', 'v1/traces', headers),
    { serializeRequest: (body) => body, deserializeResponse: () => ({}) },
    'otlp_http_span_exporter',
    { name: 'span', countItems: () => 1 },
    undefined,
  );
  let originMs: number | undefined;
  return {
    add: (span) => form.add(span, (originMs ??= wallOriginMs() - offsetMs), redact),
    take: () => {
      originMs = undefined;
      return form.take();
    },
    send: (body) =>
      new Promise((resolve) => {
        try {
          delegate.export(body, ({ error }) => resolve(error && messageOf(error)));
        } catch (thrown) {
          resolve(messageOf(thrown));
        }
      }),
  };
}

/** Returns the wall time at which `performance.now()` was 0: corrected if the wall clock was set, or a long run drifts. */
function wallOriginMs(): number {
  return performance.timeOrigin + Math.trunc(Date.now() - performance.timeOrigin - performance.now());
}
