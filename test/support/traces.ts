import generated from 'otlp-decoder/build/src/generated/root.js';
import { createServer, type RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { listenInTest } from './listen-in-test.ts';

/** A span as a collector received it. Times are in milliseconds since 1970. */
export interface ReceivedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentId: string;
  flags: number;
  status: number;
  startMs: number;
  endMs: number;
  links: string[];
  attributes: Record<string, string | number>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number;
  doubleValue?: number;
}
interface OtlpSpan {
  name: string;
  kind: number;
  traceId: Uint8Array;
  spanId: Uint8Array;
  parentSpanId?: Uint8Array;
  flags: number;
  status?: { code?: number };
  startTimeUnixNano: number;
  endTimeUnixNano: number;
  links: { traceId: Uint8Array; spanId: Uint8Array }[];
  attributes: { key: string; value: OtlpValue }[];
}
interface OtlpTraces {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

const { ExportTraceServiceRequest: request } = (
  generated as unknown as {
    opentelemetry: {
      proto: {
        collector: {
          trace: {
            v1: {
              ExportTraceServiceRequest: {
                decode: (body: Uint8Array) => object;
                toObject: (message: object, how: { longs: typeof Number; arrays: boolean }) => OtlpTraces;
              };
            };
          };
        };
      };
    };
  }
).opentelemetry.proto.collector.trace.v1;

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

/** Reads a request by OpenTelemetry's own decoder. */
function readSpans(body: Uint8Array): ReceivedSpan[] {
  const { resourceSpans } = request.toObject(request.decode(body), { longs: Number, arrays: true });
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map((span) => ({
      name: span.name,
      kind: span.kind,
      traceId: hex(span.traceId),
      spanId: hex(span.spanId),
      parentId: hex(span.parentSpanId),
      flags: span.flags & 0xff,
      status: span.status?.code ?? 0,
      startMs: span.startTimeUnixNano / 1e6,
      endMs: span.endTimeUnixNano / 1e6,
      links: span.links.map((link) => `${hex(link.traceId)}-${hex(link.spanId)}`),
      attributes: Object.fromEntries(
        span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? '']),
      ),
    }));
}

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  return listenInTest(server);
}

/** Opens a collector of spans, which OpenTelemetry's own decoder reads. */
export async function openCollector(): Promise<{ url: string; spans: ReceivedSpan[]; bodies: Buffer[] }> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const url = await listen((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      bodies.push(Buffer.concat(chunks));
      if (incoming.url === '/v1/traces') spans.push(...readSpans(Buffer.concat(chunks)));
      response.end();
    });
  });
  return { url, spans, bodies };
}

/** A span of the agent under the attempt that called it. */
export interface AgentSpan {
  traceId: string;
  parentId: string;
  flags: string;
  startMs: number;
  endMs: number;
}

const now = (): number => performance.timeOrigin + performance.now();

/** Opens an agent with OpenAI's API that makes a span for every request. `isFailed` decides by the number of the request. */
export async function openTracedAgent(
  isFailed: (request: number) => boolean = () => false,
): Promise<{ url: string; spans: AgentSpan[] }> {
  const spans: AgentSpan[] = [];
  let count = 0;
  const url = await listen((incoming, response) => {
    const startMs = now();
    const failed = isFailed(++count);
    const [, traceId = '', parentId = '', flags = ''] = String(incoming.headers.traceparent).split('-');
    incoming.resume().on('end', () => {
      void wait(failed ? 0 : 3).then(() => {
        spans.push({ traceId, parentId, flags, startMs, endMs: now() });
        response.writeHead(failed ? 429 : 200, { 'content-type': 'application/json' });
        response.end(failed ? '{"error":{"message":"slow down"}}' : reply);
      });
    });
  });
  return { url, spans };
}

const reply = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'model-a',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'On its way.' } }],
  usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
});
