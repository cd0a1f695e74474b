export { defineScenario } from './scenario/define-scenario.ts';
export type { Duration } from './scenario/duration.ts';
export type { DurationLaw } from './scenario/duration-law.ts';
export type { EmbeddedOptions } from './scenario/embedded.ts';
export type {
  CreateSessionOptions,
  DataLists,
  IntegrityOptions,
  LoadOptions,
  MessageContext,
  MessageFunction,
  RetryOptions,
  RetryPolicyOptions,
  Scenario,
  Stage,
  TargetOptions,
  TemplateContext,
  ThinkTimeOptions,
  TurnOptions,
  ValueFunction,
  ValueTemplate,
} from './scenario/scenario.ts';
