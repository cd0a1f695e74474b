import type { z } from 'zod';
import { authHeaderShape, authShape, basicAuthShape, oauthShape, sigv4Shape } from './auth-options.ts';
import { agentShape, embeddedShape, keyShape, rateLimitShape, streamShape } from './embedded.ts';
import { gateShape } from './gate-options.ts';
import { integrityShape, integrityPromptsShape } from './integrity-options.ts';
import { loadShape, stageShape } from './load-options.ts';
import { metricsShape } from './metrics-options.ts';
import {
  modelCacheShape,
  modelForwardShape,
  modelLimitShape,
  modelReplyShape,
  modelShape,
  modelToolsShape,
} from './model-options.ts';
import { noteOf, type OptionGroup, type OptionNote } from './option.ts';
import { budgetShape, retryShape } from './retry-options.ts';
import { scenarioShape } from './scenario-shape.ts';
import { stopShape } from './stop-options.ts';
import { createShape, targetShape } from './target-options.ts';
import { tlsShape } from './tls-options.ts';
import { traceColumnsShape } from './trace-options.ts';

/** A row of the option table. */
export interface ScenarioOption extends OptionNote {
  /** Dotted path in the scenario file; `[]` is any element of a list, `NAME` any key. */
  name: string;
  group: OptionGroup;
  schema: z.core.$ZodType;
}

/** An object of options: its path in the scenario file, and the name of its interface. */
export interface OptionSection {
  path: string;
  type: string;
  meaning?: string;
  shape: z.core.$ZodShape;
  /** Group of fields that do not set one. */
  group: OptionGroup;
}

/** Sections that flags and environment can set, in the order in which results echo them. */
const reached: readonly OptionSection[] = [
  {
    path: '',
    type: 'Scenario<Lists extends DataLists = DataLists>',
    meaning:
      "A load test: the author's file. Every field except `name`, `messages` and one of `sessions` / `duration` has a default.",
    shape: scenarioShape,
    group: 'workload',
  },
  { path: 'load.', type: 'LoadOptions', shape: loadShape, group: 'load' },
  { path: 'target.', type: 'TargetOptions', shape: targetShape, group: 'target' },
  {
    path: 'target.tls.',
    type: 'TargetTlsOptions',
    meaning: 'TLS options; paths are relative to the scenario file, paths in flags to the working directory.',
    shape: tlsShape,
    group: 'target',
  },
  { path: 'target.createSession.', type: 'CreateSessionOptions', shape: createShape, group: 'target' },
  {
    path: 'target.auth.',
    type: 'AuthOptions',
    meaning: 'Authorization of requests: exactly one of these.',
    shape: authShape,
    group: 'target',
  },
  { path: 'target.auth.oauth.', type: 'OAuthOptions', shape: oauthShape, group: 'target' },
  { path: 'target.auth.sigv4.', type: 'SigV4Options', shape: sigv4Shape, group: 'target' },
  { path: 'retry.', type: 'RetryPolicyOptions', shape: retryShape, group: 'retry' },
  { path: 'stopWhen.', type: 'StopOptions', shape: stopShape, group: 'limits' },
  {
    path: 'embedded.',
    type: 'EmbeddedOptions',
    meaning:
      'Behaviour of the reference service: under `embedded` of a scenario, and in the file of `chat-load serve --config`.',
    shape: embeddedShape,
    group: 'embedded',
  },
  {
    path: 'model.',
    type: 'ModelOptions',
    meaning:
      'Behavior of the model service behind the agent: under `model` of a scenario, and in the file of `chat-load serve --as model --config`.',
    shape: modelShape,
    group: 'model',
  },
];

/** Sections that are set and echoed as parts of the options above. */
const parts: readonly OptionSection[] = [
  { path: 'load.stages[].', type: 'Stage', shape: stageShape, group: 'load' },
  { path: 'target.auth.header.', type: 'AuthHeaderOptions', shape: authHeaderShape, group: 'target' },
  { path: 'target.auth.basic.', type: 'BasicAuthOptions', shape: basicAuthShape, group: 'target' },
  { path: 'target.metrics[].', type: 'TargetMetricsOptions', shape: metricsShape, group: 'target' },
  { path: 'load.columns.', type: 'TraceColumnOptions', shape: traceColumnsShape, group: 'load' },
  { path: 'retry.budget.', type: 'RetryBudgetOptions', shape: budgetShape, group: 'retry' },
  {
    path: 'integrity.',
    type: 'IntegrityOptions',
    meaning: 'Prompts and checks of the integrity guard.',
    shape: integrityShape,
    group: 'judging',
  },
  { path: 'integrity.prompts.', type: 'IntegrityPrompts', shape: integrityPromptsShape, group: 'judging' },
  {
    path: 'gates.NAME.',
    type: 'GateOptions',
    meaning: 'A gate that is also evaluated during the run, or with a confidence interval.',
    shape: gateShape,
    group: 'judging',
  },
  { path: 'model.limits.', type: 'ModelLimitOptions', shape: modelLimitShape, group: 'model' },
  { path: 'model.cache.', type: 'ModelCacheOptions', shape: modelCacheShape, group: 'model' },
  { path: 'model.replies[].', type: 'ModelReplyRule', shape: modelReplyShape, group: 'model' },
  { path: 'model.tools.', type: 'ModelToolOptions', shape: modelToolsShape, group: 'model' },
  { path: 'model.forward.', type: 'ModelForwardOptions', shape: modelForwardShape, group: 'model' },
  { path: 'embedded.rateLimit.', type: 'RateLimitOptions', shape: rateLimitShape, group: 'embedded' },
  { path: 'embedded.stream.', type: 'EmbeddedStreamOptions', shape: streamShape, group: 'embedded' },
  { path: 'embedded.agents[].', type: 'AgentOptions', shape: agentShape, group: 'embedded' },
  { path: 'embedded.keys[].', type: 'KeyOptions', shape: keyShape, group: 'embedded' },
];

/** Every object of options. */
export const optionSections: readonly OptionSection[] = [...reached, ...parts];

/** Returns the options of a section, including nested sections. */
export function optionsIn({ path, shape, group }: OptionSection): ScenarioOption[] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const note = noteOf(schema);
    return note === undefined ? [] : [{ group, ...note, name: path + key, schema }];
  });
}

/** All options that can be set by flags and environment and are echoed, in the order of documents. */
export const scenarioOptions: readonly ScenarioOption[] = reached
  .flatMap(optionsIn)
  .filter(({ isSection }) => isSection !== true);
