import { describe, expect, test } from 'vitest';
import { otlpSettings } from './otlp-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };

describe('metrics are pushed', () => {
  test('where OTEL_EXPORTER_OTLP_ENDPOINT points, every 10 s, as protobuf', () => {
    expect(otlpSettings(endpoint)).toEqual({
      shownUrl: 'http://collector.example:4318',
      format: 'protobuf',
      intervalMs: 10_000,
      timeoutMs: 10_000,
    });
  });

  test('where the variable for metrics points, rather', () => {
    const own = { ...endpoint, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://m.example/own/path' };
    expect(otlpSettings(own)).toMatchObject({ shownUrl: 'https://m.example/own/path' });
  });

  test('at the interval of OTEL_METRIC_EXPORT_INTERVAL, which no push exceeds', () => {
    const settings = { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: '2000', OTEL_EXPORTER_OTLP_TIMEOUT: '5000' };
    expect(otlpSettings(settings)).toMatchObject({ intervalMs: 2000, timeoutMs: 2000 });
  });

  test('as JSON, if a protocol variable sets it', () => {
    expect(otlpSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' })).toMatchObject({ format: 'json' });
  });

  test('and credentials in the address are not shown', () => {
    const secret = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:s3cret@collector.example?token=s3cret' };
    expect(JSON.stringify(otlpSettings(secret))).not.toContain('s3cret');
  });
});

test.each([
  ['no endpoint is named', {}],
  ['it is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ['OTEL_SDK_DISABLED is true', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ['OTEL_METRICS_EXPORTER is none', { ...endpoint, OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is pushed where %s', (_, environment) => {
  expect(otlpSettings(environment)).toBeUndefined();
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
])('a %s that cannot be used is a warning that names it', (name, environment) => {
  expect(otlpSettings(environment)).toMatchObject({ code: 'metrics_not_exported' });
  expect(JSON.stringify(otlpSettings(environment))).toContain(`"${name} is`);
});
