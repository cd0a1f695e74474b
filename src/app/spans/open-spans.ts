import { traceIds } from '../../edge/http/request/trace-parents.ts';
import { withPackages } from '../../edge/optional-packages.ts';
import { otlpSettings } from '../../edge/otlp-settings.ts';
import { SpanQueue } from '../../edge/spans/span-queue.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { formatShare } from '../../base/format.ts';
import { plainName } from '../../plan/host-names.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Shard } from '../../plan/shard.ts';
import { SpanFollower } from '../../record/span-follower.ts';
import { sampler } from '../../record/spans.ts';
import { modelKind } from '../../report/words/target-text.ts';
import type { RunEffects } from '../../run-context.ts';
import type { Warning } from '../../result/sections/warning.ts';

interface SpansToOpen {
  /** Contains no secret. */
  plan: Plan;
  redact: (text: string) => string;
  /** ID of the run. */
  run: string;
  /** Milliseconds from `performance.now()` to the clock of the spans. */
  offsetMs?: number;
  /** The spans, for messages. */
  named?: string;
}

/** Export of the spans of one process. */
interface OpenSpans extends Pick<SpanQueue, 'add' | 'end'> {
  /** Reports whether the attempts of a session are marked as sampled. */
  isSampled: (session: number) => boolean;
  /** Description of the export. */
  text: string;
}

/** Export of the spans of a load from this process, or the problem because of which there is none. */
export type LoadSpans = NonNullable<RunEffects['spans']> & Pick<OpenSpans, 'end' | 'isSampled'>;

/** Opens the export of a traced run if OpenTelemetry's variables name an endpoint. A problem is a warning: the run is the same. */
export async function openSpans({
  plan,
  redact,
  run,
  offsetMs = 0,
  named = 'spans',
}: SpansToOpen): Promise<OpenSpans | Warning | undefined> {
  const settings = plan.target.trace ? otlpSettings(process.env, 'traces') : undefined;
  if (settings === undefined || 'code' in settings) return settings;
  const { shownUrl: url } = settings;
  try {
    const of = { plan, run: { id: run, label: null, toolVersion } };
    const send = await withPackages(tracePackages, async () =>
      (await import('../../edge/spans/otlp-spans.ts')).openOtlpSpans(settings, { run: of, offsetMs, redact }),
    );
    const queue = new SpanQueue({ send, url, named });
    const { traceShare = 1 } = plan.target;
    return {
      add: (span) => queue.add(span),
      end: (hurry) => queue.end(hurry),
      isSampled: sampler(plan.seed, traceShare),
      text: `${formatShare(traceShare)} of the sessions, failures and slow turns, exported to ${url}`,
    };
  } catch (thrown) {
    return {
      code: 'traces_not_exported',
      message: `No traces are exported to ${url}: ${messageOf(thrown)}`,
      remedy: thrown instanceof ChatLoadError ? thrown.hint : null,
    };
  }
}

interface LoadToTrace {
  resolved: Pick<ResolvedScenario, 'plan' | 'secrets'>;
  baseUrl: URL;
  run: string;
  /** The part that this process sends; its warning counts the spans of that part. */
  shard?: Shard;
  note?: (text: string) => void;
}

/** Opens the export of the spans of a load from this process. */
export async function openLoadSpans({
  resolved,
  baseUrl,
  run,
  shard,
  note,
}: LoadToTrace): Promise<LoadSpans | undefined> {
  const { plan, secrets } = resolved;
  const redact = (text: string): string => secrets.redact(text);
  const { index = 0, count = 1 } = shard ?? {};
  const part = `spans of process ${String(index + 1)} of ${String(count)}`;
  const named = count > 1 ? part : 'spans';
  const spans = await openSpans({ run, plan: secrets.redactDocument(plan), redact, named });
  if (spans === undefined) return undefined;
  if ('code' in spans)
    return { problem: spans, follow: (observer) => observer, isSampled: () => true, end: () => Promise.resolve([]) };
  note?.(`traces    ${spans.text}`);
  const { agentId, protocol } = plan.target;
  const isModel = modelKind(protocol) === 'model';
  const follower = new SpanFollower({
    run,
    warmUpMs: plan.warmUpMs,
    isSampled: spans.isSampled,
    service: {
      operation: isModel ? 'chat' : 'invoke_agent',
      provider: protocol,
      model: (isModel && agentId) || undefined,
      agentId: (!isModel && agentId) || undefined,
      address: plainName(baseUrl.hostname),
      port: Number(baseUrl.port) || (baseUrl.protocol === 'https:' ? 443 : 80),
    },
    newTraceId: traceIds(),
    add: spans.add,
  });
  return {
    follow: (observer, startedAt) => follower.follow(observer, startedAt),
    isSampled: spans.isSampled,
    end: spans.end,
  };
}

const tracePackages = { need: "Exporting traces requires OpenTelemetry's packages", names: ['@opentelemetry/'] };
