import type { CompiledValue } from '../scenario/compile-value.ts';

/** A compiled part with the key of the stream that its draws come from: other parts never move them. */
export interface ScriptPart {
  /** Its path in the scenario, as its author knows it. */
  readonly path: string;
  readonly value: CompiledValue;
  readonly key: number;
}
