/** A list of results as data, the newest first. JSON-safe; all texts are plain. */
export interface ResultsList {
  /** Another one as soon as anything in it is different. */
  version: string;
  /** The folders, as they were named. */
  folders: readonly string[];
  rows: readonly ListRow[];
  /** What the terminal would say of a folder: that there is no result in it. */
  problems: readonly Problem[];
  /** The metrics that a trend can show. */
  metrics: readonly Named[];
}

interface Named {
  name: string;
  /** In a sentence. */
  meaning: string;
}

/** An error as the terminal words it, and what to do about it. */
export interface Problem {
  message: string;
  hint: string;
}

/** `DEGRADED`: passed, but the run is degraded. */
export type ListedVerdict = 'PASSED' | 'DEGRADED' | 'FAILED' | 'INVALID' | 'UNREADABLE';

/** What a row is of; an unreadable file counts as a result. A comparison is one of capacities. */
export type ListedDocument = 'result' | 'capacity' | 'comparison';

/** A result in a list, or another document that is listed with them. */
export interface ListRow {
  /** What its pages are asked for by. */
  id: string;
  /** Of the folders. */
  folder: number;
  file: string;
  document: ListedDocument;
  /** The id of the run; empty where there is none. */
  run: string;
  /** When the run or search started, or when an unreadable file changed last (ISO 8601, UTC). */
  at: string;
  /** Empty where there is none, as the others are. */
  scenario: string;
  label: string;
  commit: string;
  verdict: ListedVerdict;
  /** Why the verdict is as it is, in what the list knows; of an unreadable file, what is wrong with it and what to do. */
  reason: string;
  /** As the terminal writes them; `-` where there is none. */
  figures: { turnP95: string; failed: string; rate: string };
}

/** A run that writes a journal in one of the folders. */
export interface RunUnderWay {
  /** As it was named. */
  folder: string;
  file: string;
  scenario: string;
  label: string;
  /** ISO 8601, UTC. */
  startedAt: string;
  /** What is known of it: how long it has run, and what it did last. */
  state: string;
  /** Of its live page; `null`: it has none. */
  address: string | null;
  /** It has written nothing for a while: it died, or hangs. */
  isSilent: boolean;
}
