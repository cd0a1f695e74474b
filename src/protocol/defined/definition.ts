import type { HeaderFields } from '../protocol.ts';

/** A chat API as its author describes it. */
export interface ProtocolDefinition {
  readonly name?: string;
  readonly authorize?: (apiKey: string) => HeaderFields;
}
