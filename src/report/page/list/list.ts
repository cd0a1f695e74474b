/** List of results as data, newest first. JSON-safe; all texts are plain. */
export interface ResultsList {
  /** Changes with any change of the list. */
  version: string;
  /** Folders as named on the command line. */
  folders: readonly string[];
  rows: readonly ListRow[];
  /** Errors of folders, such as a folder without results. */
  problems: readonly Problem[];
  /** Metrics that a trend can show. */
  metrics: readonly Named[];
  /** Kinds of the listed documents, results first. */
  documents: readonly ListedDocument[];
}

interface Named {
  name: string;
  /** Meaning in a sentence. */
  meaning: string;
}

/** An error with its remedy, as printed in the terminal. */
export interface Problem {
  message: string;
  hint: string;
}

/** `DEGRADED`: the run passed but is degraded. */
export type ListedVerdict = 'PASSED' | 'DEGRADED' | 'FAILED' | 'INVALID' | 'UNREADABLE';

/** Kind of document in a list. */
export interface ListedDocument {
  name: string;
  /** Unit of its count. */
  singular: string;
  plural: string;
  /** Added to the scenario of its rows. */
  suffix: string;
}

export interface ListRow {
  /** Id in the addresses of its pages. */
  id: string;
  /** Index in `folders`. */
  folder: number;
  file: string;
  /** Name of the kind of document: `result`, or the name of another listed kind. Unreadable files count as results. */
  document: string;
  /** Id of the run; empty for other documents. */
  run: string;
  /** Start of the run or search, or the last change of an unreadable file (ISO 8601, UTC). */
  at: string;
  /** Empty if unknown, like `label` and `commit`. */
  scenario: string;
  label: string;
  commit: string;
  verdict: ListedVerdict;
  /** Reason for the verdict; for an unreadable file the error and its remedy. */
  reason: string;
  /** Figures in the terminal's format; `-` without a value. */
  figures: Readonly<Record<'firstToken' | 'turn' | 'failed' | 'rate', string>>;
}

/** A run that writes its journal to one of the folders. */
export interface RunUnderWay {
  /** Folder as named on the command line. */
  folder: string;
  file: string;
  scenario: string;
  label: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** Elapsed time and latest activity. */
  state: string;
  /** Address of its live page; null if there is none. */
  address: string | null;
  /** True if the run has not written anything for a while: it has died, or hangs. */
  isSilent: boolean;
}
