import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model server in the manner of vLLM: streamed chat completions, and metrics that count its real requests. */
export interface CountingModel {
  /** Base URL with `/v1`. */
  baseUrl: string;
  metricsUrl: string;
  /** Chat requests so far, failed ones included. */
  counted(): number;
  /** Scrapes so far. */
  scraped(): number;
  close(): Promise<void>;
}

const bounds = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.5, 1, Infinity];

interface CountingOptions {
  /** Time to the first token. */
  delayMs?: number;
  /** Number of requests of which one fails. */
  failEvery?: number;
  /** Metrics instead of those of vLLM, by the number of chat requests and of scrapes so far. */
  metrics?: (received: number, scraped: number) => string;
}

/** Starts one. */
export async function startCountingModel(options: CountingOptions = {}): Promise<CountingModel> {
  const { delayMs = 5, failEvery = Infinity, metrics } = options;
  let [running, finished, received, scraped, sumSeconds] = [0, 0, 0, 0, 0];
  const buckets = bounds.map(() => 0);
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      scraped++;
      response
        .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
        .end(metrics?.(received, scraped) ?? text());
      return;
    }
    if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end();
    request.resume();
    if (++received % failEvery === 0) return void response.writeHead(503).end();
    running++;
    setTimeout(() => {
      const seconds = delayMs / 1000;
      bounds.forEach((bound, index) => (buckets[index] = (buckets[index] ?? 0) + (seconds <= bound ? 1 : 0)));
      sumSeconds += seconds;
      running--;
      finished++;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = (delta: object, finish: string | null) =>
        `data: ${JSON.stringify({ id: `c-${String(finished)}`, object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
      response.end(`${chunk({ role: 'assistant', content: 'Hello.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`);
    }, delayMs);
  });
  const text = (): string =>
    [
      '# HELP vllm:num_requests_running Number of requests in model execution batches.',
      '# TYPE vllm:num_requests_running gauge',
      `vllm:num_requests_running{engine="0",model_name="m"} ${String(running)}.0`,
      '# TYPE vllm:num_requests_waiting gauge',
      'vllm:num_requests_waiting{engine="0",model_name="m"} 0.0',
      '# TYPE vllm:kv_cache_usage_perc gauge',
      `vllm:kv_cache_usage_perc{engine="0",model_name="m"} ${String(running / 100)}`,
      '# TYPE vllm:time_to_first_token_seconds histogram',
      ...bounds.map(
        (bound, index) =>
          `vllm:time_to_first_token_seconds_bucket{engine="0",le="${bound === Infinity ? '+Inf' : String(bound)}",model_name="m"} ${String(buckets[index])}.0`,
      ),
      `vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} ${String(finished)}.0`,
      `vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} ${String(sumSeconds)}`,
      '# TYPE vllm:request_success_total counter',
      `vllm:request_success_total{engine="0",finished_reason="stop",model_name="m"} ${String(finished)}.0`,
      'vllm:request_success_total{engine="0",finished_reason="abort",model_name="m"} 0.0',
      '# TYPE http_requests_total counter',
      `http_requests_total{path="/v1/chat/completions"} ${String(received)}`,
      'http_requests_total{path="/metrics"} 99',
      '',
    ].join('\n');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    baseUrl: `${base}/v1`,
    metricsUrl: `${base}/metrics`,
    counted: () => received,
    scraped: () => scraped,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
