import type { Plan } from '../plan/plan.ts';
import { type ProbeFacts, bestOf, type LoadFigures, type ProbeStep } from './probe.ts';
import { failedShare, type TargetCeiling } from './probe-ceiling.ts';
import { finishedClassNames } from '../protocol/outcome.ts';
import { targetRemedy } from '../result/sections/run-facts.ts';
import type { Warning } from '../result/sections/warning.ts';

/** With fewer answers per connection, a rate is not meaningful. */
const enoughAnswers = 4;
/** A generator below this share of a core had to wait for the processor. */
const fairShare = 0.8;

/** Returns the caveats of a probe's figures. */
export function probeWarnings(
  facts: ProbeFacts,
  { plan, ceiling }: { plan: Plan; ceiling: TargetCeiling | undefined },
): Warning[] {
  const at = facts.steps.find(({ connections }) => connections === ceiling?.connections);
  return [
    ...autocannonWarnings
      .filter(({ applies }) => applies(facts, plan.target))
      .flatMap(({ code, message, remedy }) => warning(code, message, remedy)),
    ...refusedWarning(facts, plan.target),
    ...failureWarning(facts.steps, plan.target),
    ...(ceiling === undefined ? noAnswerWarning(facts.steps) : fewAnswersWarning(at)),
    ...sharedCoreWarning(facts),
    ...tlsWarning(facts),
  ];
}

/** Reasons why autocannon was not used. */
const autocannonWarnings: readonly Notice[] = [
  {
    applies: ({ unsteady }) => unsteady,
    code: 'connections_not_kept',
    message:
      'The target closed its connections, so autocannon was not used: it reconnects silently and sends more than configured.',
    remedy: 'The figures are from chat-load, which counts lost connections; find out why the target closes them.',
  },
  {
    applies: (_facts, { localAddresses }) => localAddresses.length > 0,
    code: 'no_local_addresses',
    message: 'autocannon cannot connect from chosen local addresses, so it was not used.',
    remedy: 'The figures are from chat-load.',
  },
  {
    applies: (_facts, { proxy }) => proxy !== null,
    code: 'no_proxies',
    message: 'autocannon does not support proxies, so it was not used.',
    remedy: 'The figures are from chat-load and include the proxy.',
  },
  {
    applies: (_facts, { http2 }) => http2,
    code: 'no_http2',
    message: 'autocannon does not support HTTP/2, so it was not used.',
    remedy: 'The figures are from chat-load.',
  },
  {
    applies: ({ baseUrl }) => baseUrl.startsWith('https:'),
    code: 'certificate_not_verified',
    message: 'autocannon does not verify certificates and would send the key to any server, so it was not used.',
    remedy: 'The figures are from chat-load.',
  },
];

/** A warning with a fixed text. */
interface Notice extends Record<'code' | 'message' | 'remedy', string> {
  applies: (facts: ProbeFacts, target: Plan['target']) => boolean;
}

/** Warns of rejected sessions; if none was created, the maximum number of concurrent sessions does not matter. */
function refusedWarning({ refused, steps }: ProbeFacts, { auth }: Plan['target']): Warning[] {
  if (refused === undefined || refused.outcome === 'aborted') return [];
  return warning(
    'sessions_refused',
    `A session could not be created (${refused.outcome}: ${refused.detail}), so no step with more connections was taken.`,
    steps.length === 0
      ? targetRemedy({ operation: 'create', outcome: refused.outcome, auth })
      : 'Check target.createSession, and how many sessions the service allows at once.',
  );
}

function failureWarning(steps: readonly ProbeStep[], target: Plan['target']): Warning[] {
  const wrong = steps.flatMap(({ connections, autocannon, chatLoad }) =>
    [autocannon, chatLoad].flatMap((figures) =>
      figures?.example == null ? [] : [{ connections, share: failedShare(figures), example: figures.example }],
    ),
  );
  const [first] = wrong;
  if (first === undefined) return [];
  return warning(
    'turns_failed',
    `Turns failed from ${String(first.connections)} ${first.connections === 1 ? 'connection' : 'connections'} on: ${first.example}.`,
    remedyOfNone(steps, target) ?? 'Rates count only ok turns.',
  );
}

/** Returns the remedy for the most frequent failure if no turn was ok. */
function remedyOfNone(steps: readonly ProbeStep[], { auth }: Plan['target']): string | undefined {
  const loads = steps.flatMap(({ autocannon, chatLoad }) => [autocannon, chatLoad]).filter((load) => load !== null);
  if (loads.some(({ ok }) => ok > 0)) return undefined;
  const counts = loads.flatMap(({ classes }) => Object.entries(classes));
  const [top] = counts.toSorted(([, a], [, b]) => b - a);
  const outcome = finishedClassNames.find((name) => name === top?.[0]);
  return outcome === undefined ? undefined : targetRemedy({ operation: 'message', outcome, auth });
}

const noAnswerWarning = (steps: readonly ProbeStep[]): Warning[] =>
  steps.length > 0 && steps.every(({ chatLoad }) => chatLoad !== null && isEmpty(chatLoad))
    ? warning(
        'no_answer',
        'No turn was answered during a step.',
        'Raise --step-duration to several times the reply time.',
      )
    : [];

const isEmpty = ({ classes }: LoadFigures): boolean => Object.keys(classes).length === 0;

function fewAnswersWarning(step: ProbeStep | undefined): Warning[] {
  const best: LoadFigures | null = step === undefined ? null : bestOf(step);
  if (step === undefined || best === null || best.ok >= enoughAnswers * step.connections) return [];
  return warning(
    'few_answers',
    `Only ${String(best.ok)} turns were answered on ${String(step.connections)} connections in a step: the rates are approximate.`,
    'Raise --step-duration to several times the reply time.',
  );
}

function sharedCoreWarning({ generator }: ProbeFacts): Warning[] {
  if (generator === undefined || generator.askedPerSecond >= fairShare * generator.turnsPerSecond) return [];
  return warning(
    'core_shared',
    `During its measurement the generator had only ${String(Math.round((generator.askedPerSecond / generator.turnsPerSecond) * 100))} % of a core: the responder or something else on this machine needed the rest.`,
    'Its ceiling assumes a separate core.',
  );
}

const tlsWarning = ({ baseUrl }: ProbeFacts): Warning[] =>
  baseUrl.startsWith('https:')
    ? warning(
        'tls_not_in_generator',
        'The generator was measured without TLS; the target requires it.',
        'Expect somewhat less than its ceiling; the CPU share of the steps includes TLS.',
      )
    : [];

const warning = (code: string, message: string, remedy: string): Warning[] => [{ code, message, remedy }];
