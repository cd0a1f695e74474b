import type { EndedSpan } from '../../record/spans.ts';
import type { SpanForm, WrittenResource } from './span-form.ts';

const kinds = { internal: 1, server: 2, client: 3 } as const;

/** Spans as JSON in OTLP's mapping. */
export class JsonSpans implements SpanForm {
  readonly #resource: WrittenResource;
  #spans: object[] = [];

  constructor(resource: WrittenResource) {
    this.#resource = resource;
  }

  add(span: EndedSpan, originMs: number, textOf: (text: string) => string): void {
    const flags = 0x100 | (span.isSampled ? 1 : 0);
    const { traceId, spanId, parentId, link } = span;
    this.#spans.push({
      traceId,
      spanId,
      parentSpanId: parentId,
      name: textOf(span.name),
      kind: kinds[span.kind],
      startTimeUnixNano: nanosOf(span.startedAt + originMs),
      endTimeUnixNano: nanosOf(span.endedAt + originMs),
      attributes: attributesOf(span.attributes, textOf),
      links: link === undefined ? [] : [{ ...link, flags }],
      status: { code: span.isFailed ? 2 : 0 },
      flags: parentId !== undefined && span.kind === 'server' ? flags | 0x200 : flags,
    });
  }

  take(): Buffer {
    const { attributes, scope } = this.#resource;
    const spans = this.#spans;
    this.#spans = [];
    const resource = { attributes: attributesOf(attributes, (text) => text) };
    return Buffer.from(JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }));
  }
}

const attributesOf = (attributes: EndedSpan['attributes'], textOf: (text: string) => string): object[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value, textOf) }],
  );

function valueOf(value: string | number, textOf: (text: string) => string): object {
  if (typeof value === 'string') return { stringValue: textOf(value) };
  return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value };
}

function nanosOf(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)));
}
