import type { EndedSpan } from '../record/spans.ts';
import { attemptPlace } from '../record/spans.ts';
import type { CallEnd, CallStart } from './model-observer.ts';
import { readTraceId } from './trace-id.ts';

interface CallSpanOptions {
  /** Run of the trace ids: 8 hexadecimal digits. */
  run: string;
  isSampled: (session: number) => boolean;
  /** Returns 32 hexadecimal digits. */
  newTraceId: () => string;
  add: (span: EndedSpan) => void;
}

/** Makes the spans of model calls with the trace of an attempt, if its session is sampled. */
export class CallSpans {
  readonly #options: CallSpanOptions;
  readonly #open = new Map<number, CallStart & { traceId: string }>();

  constructor(options: CallSpanOptions) {
    this.#options = options;
  }

  started(call: CallStart): void {
    const { run, isSampled } = this.#options;
    for (const traceId of [call.traceId, call.headerTraceId]) {
      const attempt = traceId === undefined ? undefined : readTraceId(traceId, run);
      if (traceId === undefined || attempt === undefined) continue;
      if (isSampled(attempt.session)) this.#open.set(call.id, { ...call, traceId });
      return;
    }
  }

  ended({ id, endedAt, outcome, status, usage, model, fault }: CallEnd): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    this.#open.delete(id);
    const { traceId, parentId, arrivedAt } = call;
    const operation = call.api === 'embeddings' ? 'embeddings' : 'chat';
    const isFailed = outcome !== 'ok' && outcome !== 'cancelled';
    const requested = nameOf(call.model);
    this.#options.add({
      traceId,
      spanId: attemptPlace(this.#options.newTraceId()).spanId,
      name: requested === undefined ? operation : `${operation} ${requested}`,
      kind: 'server',
      // A span of the agent, or the attempt itself.
      parentId: parentId ?? attemptPlace(traceId).spanId,
      link: undefined,
      isSampled: true,
      startedAt: arrivedAt,
      endedAt,
      isFailed,
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': requested,
        'gen_ai.response.model': nameOf(model),
        'gen_ai.usage.input_tokens': usage?.inputTokens,
        'gen_ai.usage.output_tokens': usage?.outputTokens,
        'http.response.status_code': status === 0 ? undefined : status,
        'error.type': isFailed ? (fault ?? outcome) : undefined,
        'chat_load.model_call.api': call.api,
        'chat_load.model_call.outcome': outcome,
      },
    });
  }
}

const maxNameLength = 100;
const nameOf = (model: string): string | undefined => model.slice(0, maxNameLength) || undefined;
