import type { EndedSpan } from '../../record/spans.ts';

/** The owner of spans. */
export interface WrittenResource {
  attributes: Readonly<Record<string, string>>;
  scope: { name: string; version: string };
}

/** A batch in one of OTLP's forms. */
export interface SpanForm {
  add(span: EndedSpan, originMs: number, textOf: (text: string) => string): void;
  /** Returns the request for all spans since the last call. */
  take(): Uint8Array;
}
