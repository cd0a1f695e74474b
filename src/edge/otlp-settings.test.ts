import { describe, expect, test } from 'vitest';
import { otlpSettings } from './otlp-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };

test('traces have variables of their own', () => {
  const own = { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://t.example/own/path' };
  expect(otlpSettings(own, 'traces')).toMatchObject({ shownUrl: 'https://t.example/own/path' });
  expect(otlpSettings({ ...own, OTEL_METRICS_EXPORTER: 'none' }, 'traces')).toMatchObject({ format: 'protobuf' });
  expect(otlpSettings({ ...own, OTEL_TRACES_EXPORTER: 'none' }, 'traces')).toBeUndefined();
  const refused = otlpSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' }, 'traces');
  expect(refused).toMatchObject({ code: 'traces_not_exported' });
  expect(JSON.stringify(refused)).toContain('no traces are pushed');
});

describe('metrics are pushed', () => {
  test('to OTEL_EXPORTER_OTLP_ENDPOINT, every 10 s, as protobuf', () => {
    expect(otlpSettings(endpoint, 'metrics')).toEqual({
      shownUrl: 'http://collector.example:4318',
      format: 'protobuf',
      intervalMs: 10_000,
      timeoutMs: 10_000,
    });
  });

  test('to the endpoint of the variable for metrics, if set', () => {
    const own = { ...endpoint, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://m.example/own/path' };
    expect(otlpSettings(own, 'metrics')).toMatchObject({ shownUrl: 'https://m.example/own/path' });
  });

  test('at the interval of OTEL_METRIC_EXPORT_INTERVAL, and no push takes longer', () => {
    const settings = { ...endpoint, OTEL_METRIC_EXPORT_INTERVAL: '2000', OTEL_EXPORTER_OTLP_TIMEOUT: '5000' };
    expect(otlpSettings(settings, 'metrics')).toMatchObject({ intervalMs: 2000, timeoutMs: 2000 });
  });

  test('as JSON, if a protocol variable requests it', () => {
    expect(otlpSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'metrics')).toMatchObject({
      format: 'json',
    });
  });

  test('and credentials in the address are not shown', () => {
    const secret = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:s3cret@collector.example?token=s3cret' };
    expect(JSON.stringify(otlpSettings(secret, 'metrics'))).not.toContain('s3cret');
  });
});

test.each([
  ['no endpoint is named', {}],
  ['it is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ['OTEL_SDK_DISABLED is true', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ['OTEL_METRICS_EXPORTER is none', { ...endpoint, OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is pushed if %s', (_, environment) => {
  expect(otlpSettings(environment, 'metrics')).toBeUndefined();
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
])('a %s that cannot be used is a warning that names it', (name, environment) => {
  expect(otlpSettings(environment, 'metrics')).toMatchObject({ code: 'metrics_not_exported' });
  expect(JSON.stringify(otlpSettings(environment, 'metrics'))).toContain(`"${name} is`);
});
