import { machineOffsetMs } from '../../edge/clock.ts';
import { traceIds } from '../../edge/http/request/trace-parents.ts';
import { withPackages } from '../../edge/optional-packages.ts';
import { otlpSettings } from '../../edge/otlp-settings.ts';
import { SpanQueue } from '../../edge/spans/span-queue.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { plainName } from '../../plan/host-names.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { SpanFollower } from '../../record/span-follower.ts';
import { sampler } from '../../record/spans.ts';
import { modelKind } from '../../report/words/target-text.ts';
import type { Warning } from '../../result/sections/warning.ts';

/** The parts of a plan that its spans need, without secrets. */
export interface TracedPlan extends Pick<Plan, 'name' | 'hash' | 'seed'> {
  target: Pick<Plan['target'], 'trace' | 'traceShare'>;
}

export function tracedPlan({ plan, secrets }: LoadToTrace['resolved']): TracedPlan {
  const { name, hash, seed, target } = plan;
  return secrets.redactDocument({ name, hash, seed, target: { trace: target.trace, traceShare: target.traceShare } });
}

interface SpansToOpen {
  plan: TracedPlan;
  redact: (text: string) => string;
  /** ID of the run. */
  run: string;
  warn: (warning: Warning) => void;
  note?: (text: string) => void;
  /** True if the instants of the spans are from the clock of the machine. */
  isMachineTime?: boolean;
}

/** Export of the spans of one process. */
export interface OpenSpans extends Pick<SpanQueue, 'add' | 'end'> {
  /** Reports whether the attempts of a session are marked as sampled. */
  isSampled: (session: number) => boolean;
}

/** Export of the spans of a load from this process. */
export type LoadSpans = Pick<SpanFollower, 'started' | 'follow'> & Pick<OpenSpans, 'end' | 'isSampled'>;

/**
 * Opens the export of a traced run if OpenTelemetry's variables name an endpoint. If that is not possible, the run is the
 * same, with a warning.
 */
export async function openSpans({
  plan,
  redact,
  run,
  warn,
  note,
  isMachineTime = false,
}: SpansToOpen): Promise<OpenSpans | undefined> {
  const settings = plan.target.trace ? otlpSettings(process.env, 'traces') : undefined;
  if (settings === undefined) return undefined;
  if ('code' in settings) {
    warn(settings);
    return undefined;
  }
  const { shownUrl: url } = settings;
  try {
    const { openOtlpSpans } = await withPackages(tracePackages, () => import('../../edge/spans/otlp-spans.ts'));
    const send = await withPackages(tracePackages, () =>
      openOtlpSpans(settings, {
        run: { plan, run: { id: run, label: null, toolVersion } },
        offsetMs: isMachineTime ? machineOffsetMs : 0,
        redact,
      }),
    );
    const queue = new SpanQueue({ send, url });
    const { traceShare } = plan.target;
    const part =
      traceShare === 1 ? 'all sessions' : `${String(traceShare * 100)} % of the sessions, failures and slow turns`;
    note?.(`traces    ${part}, exported to ${url}`);
    return {
      add: (span) => queue.add(span),
      end: (hurry) => queue.end(hurry),
      isSampled: sampler(plan.seed, traceShare),
    };
  } catch (thrown) {
    warn({
      code: 'traces_not_exported',
      message: `No traces are exported to ${url}: ${messageOf(thrown)}`,
      remedy: thrown instanceof ChatLoadError ? thrown.hint : null,
    });
    return undefined;
  }
}

interface LoadToTrace {
  resolved: Pick<ResolvedScenario, 'plan' | 'secrets'>;
  baseUrl: URL;
}

/** Opens the export of the spans of a load from this process. */
export async function openLoadSpans({
  resolved: { plan, secrets },
  baseUrl,
  ...given
}: Pick<SpansToOpen, 'run' | 'warn' | 'note'> & LoadToTrace): Promise<LoadSpans | undefined> {
  const redact = (text: string): string => secrets.redact(text);
  const spans = await openSpans({ ...given, plan: tracedPlan({ plan, secrets }), redact });
  if (spans === undefined) return undefined;
  const { add, isSampled, end } = spans;
  const { run } = given;
  const { target, warmUpMs } = plan;
  const { agentId, protocol } = target;
  const isModel = modelKind(protocol) === 'model';
  const operation = isModel ? 'chat' : 'invoke_agent';
  const follower = new SpanFollower({
    run,
    warmUpMs,
    isSampled,
    attemptName: agentId === '' ? operation : `${operation} ${agentId}`,
    attemptAttributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': protocol,
      [isModel ? 'gen_ai.request.model' : 'gen_ai.agent.id']: agentId === '' ? undefined : agentId,
      'server.address': plainName(baseUrl.hostname),
      'server.port': Number(baseUrl.port) || (baseUrl.protocol === 'https:' ? 443 : 80),
    },
    newTraceId: traceIds(),
    add,
  });
  return {
    started: (startedAt) => follower.started(startedAt),
    follow: (observer) => follower.follow(observer),
    isSampled,
    end,
  };
}

const tracePackages = {
  need: "Exporting traces requires OpenTelemetry's packages",
  names: ['@opentelemetry/'],
};
