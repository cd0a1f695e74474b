import { machineOffsetMs } from '../../edge/clock.ts';
import { traceIds } from '../../edge/http/request/trace-parents.ts';
import { withPackages } from '../../edge/optional-packages.ts';
import { otlpSettings } from '../../edge/otlp-settings.ts';
import { SpanQueue } from '../../edge/spans/span-queue.ts';
import { toolVersion } from '../../edge/tool-version.ts';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { plainName } from '../../plan/host-names.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { SpanFollower } from '../../record/span-follower.ts';
import { sampler } from '../../record/spans.ts';
import { modelKind } from '../../report/words/target-text.ts';
import type { Warning } from '../../result/sections/warning.ts';

interface SpansToOpen {
  resolved: Pick<ResolvedScenario, 'plan' | 'secrets'>;
  /** ID of the run. */
  run: string;
  environment?: NodeJS.ProcessEnv;
  warn: (warning: Warning) => void;
  note?: (text: string) => void;
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
 *
 * @param isMachineTime true if the instants of the spans are from the clock of the machine
 */
export async function openSpans(
  { resolved: { plan, secrets }, run, environment = process.env, warn, note }: SpansToOpen,
  isMachineTime = false,
): Promise<OpenSpans | undefined> {
  const settings = plan.target.trace ? otlpSettings(environment, 'traces') : undefined;
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
        run: { plan: secrets.redactDocument(plan), run: { id: run, label: null, toolVersion } },
        offsetMs: isMachineTime ? machineOffsetMs : 0,
        redact: (text) => secrets.redact(text),
      }),
    );
    const queue = new SpanQueue({ send, url });
    const { traceShare } = plan.target;
    const part = traceShare === 1 ? 'all sessions' : `${String(traceShare * 100)} % of the sessions, failures and slow turns`;
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

/** Opens the export of the spans of a load from this process. */
export async function openLoadSpans(given: SpansToOpen & { baseUrl: URL }): Promise<LoadSpans | undefined> {
  const spans = await openSpans(given);
  if (spans === undefined) return undefined;
  const { add, isSampled, end } = spans;
  const { run, baseUrl, resolved } = given;
  const { target, warmUpMs } = resolved.plan;
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
