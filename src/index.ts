export { defineScenario } from './scenario/define-scenario.ts';
export type { Duration } from './scenario/duration.ts';
export type { DurationDistribution } from './scenario/duration-distribution.ts';
export type { MetricName } from './scenario/metric-name.ts';
export type { EmbeddedOptions } from './scenario/embedded.ts';
export type {
  CreateSessionOptions,
  DataLists,
  GateOptions,
  Gates,
  IntegrityOptions,
  LoadOptions,
  MessageContext,
  MessageFunction,
  ReplyCost,
  RetryClass,
  RetryOptions,
  RetryPolicyOptions,
  Scenario,
  Stage,
  StopOptions,
  TargetOptions,
  TemplateContext,
  ThinkTimeOptions,
  TurnOptions,
  ValueFunction,
  ValueTemplate,
} from './scenario/scenario.ts';
