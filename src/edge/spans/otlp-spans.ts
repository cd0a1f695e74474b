import {
  type Attributes,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type HrTime,
  type Link,
  type SpanContext,
} from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { messageOf } from '../../base/errors.ts';
import type { EndedSpan, SpanPlace } from '../../record/spans.ts';
import { resourceOf, type NamedRun } from '../otlp-resource.ts';
import type { OtlpSettings } from '../otlp-settings.ts';

export interface SpanExportOptions {
  run: NamedRun;
  /** Milliseconds from an instant of the spans to the same one of `performance.now()`. */
  offsetMs: number;
  /** Redacts secrets in attributes. */
  redact: (text: string) => string;
}

type Spans = Parameters<OTLPTraceExporter['export']>[0];

/** Opens an exporter, and returns the function that sends spans with it: it resolves with the reason if they did not arrive. */
export async function openOtlpSpans(
  { format }: Pick<OtlpSettings, 'format'>,
  { run, offsetMs, redact }: SpanExportOptions,
): Promise<(spans: readonly EndedSpan[]) => Promise<string | undefined>> {
  const { OTLPTraceExporter: Exporter } =
    format === 'json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const exporter = new Exporter();
  const resource = resourceOf(run);
  const scope = { name: 'chat-load', version: run.run.toolVersion };
  const readable = (span: EndedSpan, originMs: number, textOf: Redact): Spans[number] => {
    const context = contextOf(span, span.isSampled);
    return {
      name: textOf(span.name),
      kind: kinds[span.kind],
      spanContext: () => context,
      ...(span.parentId === undefined
        ? {}
        : { parentSpanContext: { ...context, spanId: span.parentId, isRemote: span.kind === 'server' } }),
      startTime: timeOf(span.startedAt + originMs),
      endTime: timeOf(span.endedAt + originMs),
      duration: timeOf(span.endedAt - span.startedAt),
      status: { code: span.isFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
      attributes: attributesOf(span, textOf),
      links: span.link === undefined ? [] : [linkTo(span.link, span.isSampled)],
      events: [],
      ended: true,
      resource,
      instrumentationScope: scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  };
  return (spans) =>
    new Promise((resolve) => {
      const originMs = wallOriginMs() - offsetMs;
      const textOf = remembering(redact);
      try {
        exporter.export(
          spans.map((span) => readable(span, originMs, textOf)),
          ({ error }) => resolve(error && messageOf(error)),
        );
      } catch (thrown) {
        resolve(messageOf(thrown));
      }
    });
}

type Redact = (text: string) => string;

/** Redacts each text once: most of a batch are the same. */
function remembering(redact: Redact): Redact {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const redacted = redact(text);
    known.set(text, redacted);
    return redacted;
  };
}

function attributesOf({ attributes }: EndedSpan, textOf: Redact): Attributes {
  const made: Attributes = {};
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) made[name] = typeof value === 'string' ? textOf(value) : value;
  return made;
}

const kinds = { client: SpanKind.CLIENT, server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;

const contextOf = ({ traceId, spanId }: SpanPlace, isSampled: boolean): SpanContext => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
});

const linkTo = (place: SpanPlace, isSampled: boolean): Link => ({ context: contextOf(place, isSampled) });

/** Returns the wall time at which `performance.now()` was 0: corrected if the wall clock was set, or a long run drifts. */
function wallOriginMs(): number {
  return performance.timeOrigin + Math.trunc(Date.now() - performance.timeOrigin - performance.now());
}

function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
