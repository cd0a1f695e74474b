import { Contributions } from '../../base/contributions.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import type { SideName } from '../../compare/document/side.ts';
import type { Documents, Kind } from '../../report/documents.ts';
import type { SideSources } from './read-items.ts';

/** Comparison of results, or of documents that a feature compares. */
export type AnyComparison = Extract<Documents[Kind], Pick<Comparison, 'verdict' | 'failOnInconclusive'>>;

export type Sides = Readonly<Record<SideName, SideSources>>;

/** Kind of document besides results of which two can be compared. */
export interface ComparedKind {
  kind: Kind;
  /** Noun in messages. */
  singular: string;
  plural: string;
  /** Example of the command. */
  example: readonly [line: string, meaning: string];
  /** Rule of the verdict in a sentence, for the help of the command. */
  rule: string;
  load: () => Promise<Comparing>;
}

export interface Comparing {
  /** Reports whether a file is such a document with a label. Never throws. */
  hasLabel: (file: string, label: string) => boolean;
  /** Reads the documents of both sides and compares them. Throws a usage error for an unreadable one. */
  compare: (sides: Sides, judging: Pick<Comparison, 'failOnInconclusive'> & { force: boolean }) => Promise<Compared>;
}

export interface Compared {
  comparison: AnyComparison;
  /** Files of both sides. */
  sources: readonly string[];
}

export const comparedKinds = new Contributions<ComparedKind>();
