import generated from 'otlp-decoder/build/src/generated/root.js';
import { metricDataOf } from '../../src/edge/metrics/metric-data.ts';
import { exportedRun, type ExportedValue } from './exported-metrics.ts';

/** OpenTelemetry names of metrics and attributes, by their Prometheus names. */
const dotted = new Map<string, string>(
  [...metricDataOf(exportedRun().run, 'explicit', 0)].flatMap(({ descriptor, dataPoints }) => {
    const name = descriptor.name.replace(/\.seconds$/, '');
    const names = [name, ...dataPoints.flatMap(({ attributes }) => Object.keys(attributes))];
    return names.map((each) => [each.replaceAll('.', '_'), each]);
  }),
);
const dottedName = (name: string): string => dotted.get(name) ?? name;

/** A sample in the text format of Prometheus. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Reads the text that Prometheus scrapes. Throws for a line that is none of it. */
export function readSamples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-z_:]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      if (name === undefined) throw new Error(`this is no sample: ${line}`);
      return {
        name,
        labels: Object.fromEntries([...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, of]) => [key, of])),
        value: Number(value),
      };
    });
}

/** Converts samples to OpenTelemetry values: counts, and the count and sum of durations. */
export function valuesOfSamples(samples: readonly Sample[]): ExportedValue[] {
  return samples.flatMap(({ name, labels, value }) => {
    const [, stem = name, ending] = /^(.*?)(_total|_seconds_count|_seconds_sum|_seconds_bucket)?$/.exec(name) ?? [];
    const of = { name: dottedName(stem), attributes: attributesOf(labels) };
    if (ending === '_seconds_bucket') return [];
    return [ending === '_seconds_sum' ? { ...of, value: 0, sum: value } : { ...of, value }];
  });
}

const attributesOf = (labels: Sample['labels']): ExportedValue['attributes'] =>
  Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [
      dottedName(key),
      value === 'true' || value === 'false' ? value === 'true' : value,
    ]),
  );

/** The part of an OTLP message, as JSON, that tests read. */
export interface OtlpMessage {
  resourceMetrics: { resource: { attributes: OtlpAttribute[] }; scopeMetrics: { metrics: OtlpMetric[] }[] }[];
}
interface OtlpAttribute {
  key: string;
  value: { stringValue?: string; boolValue?: boolean; intValue?: number | string };
}
interface OtlpPoint {
  attributes: OtlpAttribute[];
  asInt?: number | string;
  asDouble?: number;
  count?: number | string;
  sum?: number;
}
interface OtlpMetric {
  name: string;
  sum?: { dataPoints: OtlpPoint[] };
  exponentialHistogram?: { dataPoints: OtlpPoint[] };
}

/** Reads the body of a push. */
export function readOtlp(body: Buffer, isJson: boolean): OtlpMessage {
  if (isJson) return JSON.parse(body.toString()) as OtlpMessage;
  const { ExportMetricsServiceRequest: request } = decoder.opentelemetry.proto.collector.metrics.v1;
  return request.toObject(request.decode(body), { longs: Number, arrays: true });
}

/** The types of the package omit the generated code. */
const decoder = generated as unknown as {
  opentelemetry: { proto: { collector: { metrics: { v1: { ExportMetricsServiceRequest: Decoder } } } } };
};
interface Decoder {
  decode: (body: Uint8Array) => object;
  toObject: (message: object, how: { longs: typeof Number; arrays: boolean }) => OtlpMessage;
}

/** Returns the values in an OTLP message. */
export function valuesOfOtlp({ resourceMetrics }: OtlpMessage): ExportedValue[] {
  return resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(
        ({ name, sum, exponentialHistogram }) =>
          (sum ?? exponentialHistogram)?.dataPoints.map((point) => ({
            name,
            attributes: plain(point.attributes),
            value: Number(point.asInt ?? point.asDouble ?? point.count),
            sum: point.sum,
          })) ?? [],
      ),
    ),
  );
}

/** Returns the resource attributes of the service under test. */
export function resourceOfOtlp({ resourceMetrics: [first] }: OtlpMessage): ExportedValue['attributes'] {
  return plain(first?.resource.attributes ?? []);
}

const plain = (attributes: readonly OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue ?? value.intValue]));
