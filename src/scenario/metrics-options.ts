import { z } from 'zod';
import { maskQuery } from '../base/header-field.ts';
import { closedObject, readWith } from './closed-object.ts';
import { positiveDuration } from './duration.ts';
import { defaulted, noted, option, type Written } from './option.ts';

const wrongUrl = "expected the URL of metrics in Prometheus' text format, such as 'http://127.0.0.1:9100/metrics'";
const url = z
  .url({ protocol: /^https?$/, error: wrongUrl })
  .refine((text) => maskQuery(text) === text && !/^https?:\/\/[^/?#]*@/.test(text), {
    error: 'a URL of metrics is published with the result and cannot contain credentials',
  });

const selector = z
  .string({ error: 'expected the name of a series' })
  .max(200)
  .regex(
    /^[a-z_:][\w:]*(\{[^{}]*\})?$/i,
    'expected the name of a series, with or without labels: \'http_requests_total{path="/chat"}\'',
  );

/** An endpoint of metrics, as an object. */
export const metricsShape = {
  url: noted(url, {
    meaning: 'URL of the metrics.',
    limits: 'an http or https URL without credentials',
    required: true,
  }),
  series: option(z.array(selector).min(1).max(20), {
    meaning:
      "Series to read instead of the known ones, such as `['http_requests_total{path=\"/chat\"}', 'queue_length']`.",
    without: 'the known series of vLLM, SGLang, LiteLLM and the node exporter',
    limits: 'names of series, with or without labels that must be equal; at most 20',
  }),
  requests: option(selector, {
    meaning: 'Counter of the requests that the target received; it is compared with the attempts of the run.',
    without: 'the known counter, if any',
    limits: 'the name of a series, with or without labels',
  }),
  every: defaulted(
    positiveDuration.refine((ms) => ms >= 500, 'must be 500ms or longer'),
    { meaning: 'Interval between two scrapes.', default: '5s', limits: 'at least 500ms' },
  ),
};

const endpoint = z.preprocess(
  (given) => (typeof given === 'string' ? { url: given } : given),
  closedObject(metricsShape).transform(({ url: address, series = null, requests = null, every }) => ({
    url: address,
    series,
    requests,
    everyMs: every,
  })),
);
const endpoints = z
  .array(endpoint, { error: "expected a list of URLs: ['http://127.0.0.1:9100/metrics']" })
  .min(1)
  .max(20);
type ReadMetrics = z.output<typeof endpoints>;

/** The schema of `target.metrics`. */
export const metricsOption = z
  .custom<readonly (string | Written<typeof metricsShape>)[]>()
  .transform((given, context): ReadMetrics => readWith<ReadMetrics>(endpoints, given, context));
