import { countUserTurns, hasRuns } from '../../../dataset/user-turns.ts';
import type { Conversation } from '../../../dataset/conversation.ts';
import type { Scanned } from '../../../dataset/scan-conversation.ts';
import type { IndexWriter } from '../record-index/record-index.ts';
import { type ConversationRecord, writeRecord } from './index-format.ts';

/** Malformed lines that are named. */
const mostNamed = 20;

/** What is found in a file, one conversation after another: each goes to the index, and is counted. */
export class FoundConversations {
  /** Lines that are not empty, or rows. */
  lines = 0;
  merged = 0;
  readonly #index: IndexWriter;
  readonly #turnCounts = new Map<number, number>();
  readonly #first: { line: number; why: string }[] = [];
  #skipped = 0;

  constructor(index: IndexWriter) {
    this.#index = index;
  }

  get count(): number {
    return this.#index.count;
  }

  add(conversation: Conversation, place: Omit<ConversationRecord, 'turns'>): void {
    this.addCounted({ turns: countUserTurns(conversation), hasRuns: hasRuns(conversation) }, place);
  }

  addCounted({ turns, hasRuns: isMerged }: Scanned, place: Omit<ConversationRecord, 'turns'>): void {
    this.#turnCounts.set(turns, (this.#turnCounts.get(turns) ?? 0) + 1);
    if (isMerged) this.merged += 1;
    this.#index.add((block, at) => writeRecord(block, at, { ...place, turns }));
  }

  skip(line: number, why: string): void {
    this.#skipped += 1;
    if (this.#first.length < mostNamed) this.#first.push({ line, why });
  }

  get skipped(): { lines: number; first: { line: number; why: string }[] } {
    return { lines: this.#skipped, first: this.#first };
  }

  get turnCounts(): [turns: number, conversations: number][] {
    return [...this.#turnCounts].sort(([a], [b]) => a - b);
  }
}
