import { purposeCommands, type CommandsFor } from './base/purposes.ts';
import { comparedKinds, type ComparedKind } from './app/compare/compared-kinds.ts';
import type { AddedCommand, Declare } from './cli/parser/command.ts';
import { addedDocuments, type DocumentEntries } from './report/documents.ts';
import { listedKinds, type ListedKind } from './report/page/list/listed-kinds.ts';

/**
 * A capability that can be removed, as a value: the core knows the kinds of contribution, and no feature by its name. The
 * value itself is loaded at startup, so it loads its code on demand.
 */
export interface Feature {
  /** Name of its folder. */
  name: string;
  /** Commands, made with the function that declares a command. */
  commands?: (command: Declare) => readonly AddedCommand[];
  /** Commands that hints of the core may name, by purpose. */
  purposes?: CommandsFor;
  /** Documents with their schemas, reports and formats. Their types are added to the interface `Documents`. */
  documents?: DocumentEntries;
  /** Kinds of documents of which `compare` compares two. */
  compared?: readonly ComparedKind[];
  /** Kinds of documents that lists of results show. */
  listed?: readonly ListedKind<never>[];
}

/** Adds features to the core, instead of those added before. */
export function useFeatures(features: readonly Feature[]): void {
  addedDocuments.fill(features.flatMap(({ documents = [] }) => documents));
  comparedKinds.fill(features.flatMap(({ compared = [] }) => compared));
  listedKinds.fill(features.flatMap(({ listed = [] }) => listed));
  purposeCommands.fill(features.flatMap(({ purposes = [] }) => purposes));
}
