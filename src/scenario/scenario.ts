import type { authHeaderShape, authShape, basicAuthShape, oauthShape, sigv4Shape } from './auth-options.ts';
import type { agentShape, embeddedShape, keyShape, rateLimitShape, streamShape } from './embedded.ts';
import type { gateShape } from './gate-options.ts';
import type { integrityShape, integrityPromptsShape } from './integrity-options.ts';
import type { loadShape, stageShape } from './load-options.ts';
import type { metricsShape } from './metrics-options.ts';
import type { MetricName } from './metric-name.ts';
import type {
  modelCacheShape,
  modelForwardShape,
  modelLimitShape,
  modelReplyShape,
  modelShape,
  modelToolsShape,
} from './model-options.ts';
import type { Written } from './option.ts';
import type { budgetShape, retryShape } from './retry-options.ts';
import type { scenarioShape } from './scenario-shape.ts';
import type { DataLists, MessageOptions, ReplyCheck, ToolFunction, ValueTemplate } from './scenario-values.ts';
import type { stopShape } from './stop-options.ts';
import type { createShape, targetShape } from './target-options.ts';
import type { tlsShape } from './tls-options.ts';
import type { traceColumnsShape } from './trace-options.ts';

// The types of options are inferred from their schemas. Published instead are interfaces in which every
// field has its note as a doc comment: `npm run build` writes them (docs/option-types.ts).

/** A load test: the author's file. Every field except `name`, `messages` and one of `sessions` / `duration` has a default. */
export interface Scenario<Lists extends DataLists = DataLists> extends Omit<
  Written<typeof scenarioShape>,
  'data' | 'variableValues' | 'messages' | 'tools' | 'checks' | 'gates'
> {
  data?: Lists;
  variableValues?: Readonly<Record<string, ValueTemplate<Lists>>>;
  messages?: MessageOptions<Lists>;
  tools?: Readonly<Record<string, ToolFunction<Lists>>>;
  checks?: Readonly<Record<string, ReplyCheck>>;
  gates?: Gates;
}

export type LoadOptions = Written<typeof loadShape>;
export type TargetOptions = Written<typeof targetShape>;
export type TargetTlsOptions = Written<typeof tlsShape>;
export type TargetMetricsOptions = Written<typeof metricsShape>;
export type CreateSessionOptions = Written<typeof createShape>;
export type AuthOptions = Written<typeof authShape>;
export type OAuthOptions = Written<typeof oauthShape>;
/** Omitted fields are read from the environment. */
export type SigV4Options = Partial<Written<typeof sigv4Shape>>;
export type RetryPolicyOptions = Written<typeof retryShape>;
export type StopOptions = Written<typeof stopShape>;
export type EmbeddedOptions = Written<typeof embeddedShape>;
export type ModelOptions = Written<typeof modelShape>;
export type ModelLimitOptions = Written<typeof modelLimitShape>;
export type ModelCacheOptions = Written<typeof modelCacheShape>;
export type ModelToolOptions = Written<typeof modelToolsShape>;
export type ModelForwardOptions = Written<typeof modelForwardShape>;
export type ModelReplyRule = Written<typeof modelReplyShape>;
export type Stage = Written<typeof stageShape>;
export type AuthHeaderOptions = Written<typeof authHeaderShape>;
export type BasicAuthOptions = Written<typeof basicAuthShape>;
export type TraceColumnOptions = Written<typeof traceColumnsShape>;
export type RetryBudgetOptions = Written<typeof budgetShape>;
export type IntegrityOptions = Written<typeof integrityShape>;
export type IntegrityPrompts = Written<typeof integrityPromptsShape>;
export type GateOptions = Written<typeof gateShape>;
export type RateLimitOptions = Written<typeof rateLimitShape>;
export type EmbeddedStreamOptions = Written<typeof streamShape>;
export type AgentOptions = Written<typeof agentShape>;
export type KeyOptions = Written<typeof keyShape>;

// end of options

export type * from './scenario-values.ts';

/** Conditions by the name of a metric. */
export type Gates = { readonly [Name in MetricName]?: string | GateOptions };

export type RetryOptions = RetryPolicyOptions | 'none' | Readonly<Record<string, RetryPolicyOptions | 'none'>>;
