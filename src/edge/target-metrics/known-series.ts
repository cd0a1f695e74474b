/** A series to read: its name, the labels that must be equal, and its place in reports. */
export interface WantedSeries {
  /** Selector as written: the name, with or without labels. */
  key: string;
  name: string;
  labels: Readonly<Record<string, string>>;
  /** Chart that shows it; series with one title and unit share a chart. */
  title: string;
  /** True for gauges whose values are shares of 1. */
  isShare: boolean;
  /** True for CPU seconds by mode, which are read as the share of modes other than idle. */
  isCpu: boolean;
  /** True for counters of the machine or a container, which outlive the process that exports them. */
  isOfMachine: boolean;
  /** True if it counts the requests that the target received. */
  isRequests: boolean;
  /** Software that exports it; `null` for a series that the scenario names. */
  preset: string | null;
}

type Kind = 'share' | 'cpu' | 'requests';

/** Series by the software that exports them: name, chart, and kind. */
const known: Readonly<Record<string, readonly (readonly [name: string, title: string, kind?: Kind])[]>> = {
  vLLM: [
    ['vllm:num_requests_running', 'Requests in the engine'],
    ['vllm:num_requests_waiting', 'Requests in the engine'],
    ['vllm:kv_cache_usage_perc', 'KV cache usage', 'share'],
    ['vllm:gpu_cache_usage_perc', 'KV cache usage', 'share'],
    ['vllm:time_to_first_token_seconds', 'Time to first token'],
    ['vllm:e2e_request_latency_seconds', 'Request latency'],
    ['vllm:request_queue_time_seconds', 'Queue time'],
    ['vllm:num_preemptions_total', 'Preemptions'],
    ['vllm:prompt_tokens_total', 'Tokens'],
    ['vllm:generation_tokens_total', 'Tokens'],
    ['vllm:request_success_total', 'Requests', 'requests'],
  ],
  SGLang: [
    ['sglang:num_running_reqs', 'Requests in the engine'],
    ['sglang:num_queue_reqs', 'Requests in the engine'],
    ['sglang:token_usage', 'KV cache usage', 'share'],
    ['sglang:cache_hit_rate', 'Cache hit rate', 'share'],
    ['sglang:gen_throughput', 'Generated tokens per second'],
    ['sglang:time_to_first_token_seconds', 'Time to first token'],
    ['sglang:e2e_request_latency_seconds', 'Request latency'],
    ['sglang:prompt_tokens_total', 'Tokens'],
    ['sglang:generation_tokens_total', 'Tokens'],
    ['sglang:num_requests_total', 'Requests', 'requests'],
  ],
  LiteLLM: [
    ['litellm_request_total_latency_metric', 'Request latency'],
    ['litellm_llm_api_latency_metric', 'Latency of the model API'],
    ['litellm_proxy_failed_requests_metric', 'Failed requests'],
    ['litellm_proxy_total_requests_metric', 'Requests', 'requests'],
  ],
  'node exporter': [
    ['node_cpu_seconds_total', 'CPU usage', 'cpu'],
    ['node_load1', 'Load average, 1 minute'],
    ['node_memory_MemAvailable_bytes', 'Available memory'],
  ],
};

/** Returns the series to read from an endpoint: those that the scenario names, or all known ones. */
export function wantedSeries({
  series,
  requests,
}: {
  series: readonly string[] | null;
  requests: string | null;
}): WantedSeries[] {
  const all = Object.entries(known).flatMap(([preset, rows]) =>
    rows.map(([name, title, kind]) => ({
      ...wanted(name),
      title,
      preset,
      isShare: kind === 'share',
      isCpu: kind === 'cpu',
      isRequests: kind === 'requests' && requests === null,
    })),
  );
  const listed = series === null ? all : series.map(wanted);
  if (requests === null) return listed;
  return [...listed.filter(({ key }) => key !== requests), { ...wanted(requests), isRequests: true }];
}

function wanted(key: string): WantedSeries {
  const [, name = key, inner = ''] = /^([^{]*)(?:\{(.*)\})?$/s.exec(key) ?? [];
  const labels = readLabels(inner);
  const isOfMachine = /^(?:node|container|machine|windows)_/.test(name);
  return { key, name, labels, title: key, isShare: false, isCpu: false, isOfMachine, isRequests: false, preset: null };
}

const label = /\s*([\w.]+|"[\w.]+")\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/gy;

/** Parses the labels between the braces of a series; other text ends them. */
export function readLabels(inner: string): Record<string, string> {
  const labels: [string, string][] = [];
  label.lastIndex = 0;
  for (let found = label.exec(inner); found !== null; found = label.exec(inner))
    labels.push([
      found[1] ?? '',
      (found[2] ?? '').replace(/\\(.)/gs, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
    ]);
  return Object.fromEntries(labels);
}
