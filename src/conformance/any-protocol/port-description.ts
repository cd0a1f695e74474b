import type { NoteRule } from '../../protocol/notes.ts';
import type { IsEnd } from '../stream-event.ts';
import type { RuleSet } from '../rule-set.ts';

/** Properties of a protocol that the shared rules depend on. */
export interface PortDescription {
  /** Name of the description of the API. */
  readonly description: string;
  /** Sections of the description, by kind of rule. */
  readonly sections: Readonly<Record<'reply' | 'stream' | 'errors' | 'conversation', string>>;
  /** Members without which a message is refused. */
  readonly required: readonly string[];
  /** Ids of own rules without which a run cannot read replies, or misreads them. */
  readonly misread: readonly string[];
  /** Deviations without rules of their own: `readable` and `stream-readable` report them. */
  readonly notes?: readonly NoteRule[];
  /** Describes the fault in the body of an error, if any; omitted if errors have no format. */
  readonly errorFault?: (body: Readonly<Record<string, unknown>>) => string | undefined;
  /** Settings of the embedded service with which every rule can be tested. */
  readonly embedded?: RuleSet['embedded'];
  /** Recognizes the event at the end of a reply over WebSocket; omitted over HTTP. */
  readonly isEnd?: IsEnd;
}
