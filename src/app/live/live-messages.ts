import type { LiveButton } from '../../edge/live/serve-live.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Stop } from '../../result/sections/run-facts.ts';

/** What the thread that serves a live page starts with. */
export interface LiveStart {
  host: string;
  port: number;
  token: string;
}

/** From the thread of the run to that of its page. A line is one of the journal's, as it stands there. */
export type ToLivePage =
  | { kind: 'begin'; header: JournalHeader }
  | { kind: 'line'; line: Uint8Array }
  | { kind: 'stopping'; phase: 'draining' | 'cut'; stop: Stop | null }
  | { kind: 'ended'; path: string }
  | { kind: 'failed'; reason: string };

/** And back. */
export type FromLivePage =
  | { kind: 'listening'; port: number }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'press'; button: LiveButton };
