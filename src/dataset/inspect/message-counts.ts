import type { Conversation } from '../conversation.ts';
import { findPersonal } from '../redact/redact-conversation.ts';
import { mask, type PersonalKind, personalKinds } from '../redact/personal-rules.ts';
import type { DatasetDocument, Distribution } from './dataset-document.ts';
import { type Script, scriptOf } from './script-of.ts';
import { build, type Histogram } from 'hdr-histogram-js';

/** Lengths of the messages of one role. */
export class MessageSizes {
  #count = 0;
  readonly #characters = new Values();
  readonly #tokens = new Values();

  add(text: string): void {
    this.#count++;
    this.#characters.add(text.length);
    this.#tokens.add(estimateTokens(text));
  }

  summary(): DatasetDocument['user'] {
    const [characters, estimatedTokens] = [this.#characters.summary(), this.#tokens.summary()];
    return { count: this.#count, characters, estimatedTokens };
  }
}

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Estimates the tokens of a text: one per Chinese, Japanese or Korean character, and one per four other characters, as in English. */
export function estimateTokens(text: string): number {
  const characters = text.match(wide)?.length ?? 0;
  return Math.ceil(characters + (text.length - characters) / 4);
}

/** Counts stated languages and detected scripts. */
export class LanguageCounts {
  #unstated = 0;
  readonly #stated = new Map<string, number>();
  readonly #scripts = new Map<Script, number>();

  add({ language, messages }: Conversation): void {
    if (language === undefined) this.#unstated++;
    else this.#stated.set(language, (this.#stated.get(language) ?? 0) + 1);
    const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    const script = scriptOf(texts.join(' '));
    this.#scripts.set(script, (this.#scripts.get(script) ?? 0) + 1);
  }

  summary(): DatasetDocument['languages'] {
    return {
      stated: byCount(this.#stated).map(([language, conversations]) => ({ language, conversations })),
      unstated: this.#unstated,
      scripts: Object.fromEntries(byCount(this.#scripts)),
    };
  }
}

const byCount = <Name extends string>(counts: ReadonlyMap<Name, number>): [Name, number][] =>
  [...counts].toSorted(([a, more], [b, count]) => count - more || (a < b ? -1 : 1));

type Counted = DatasetDocument['personal'][number];

const maxExamples = 5;

/** Counts personal data, and keeps the shapes of the first examples. */
export class PersonalCounts {
  readonly #counted = new Map<PersonalKind, Counted>();

  add({ messages }: Conversation, where: string): void {
    const kinds = new Set<PersonalKind>();
    for (const { content } of messages)
      for (const { kind, start, end } of findPersonal(content)) {
        const counted = this.#counted.get(kind) ?? { kind, count: 0, conversations: 0, examples: [] };
        this.#counted.set(kind, counted);
        counted.count++;
        if (!kinds.has(kind)) counted.conversations++;
        kinds.add(kind);
        if (counted.examples.length < maxExamples)
          counted.examples.push({ where, detail: mask(content.slice(start, end)) });
      }
  }

  summary(): Counted[] {
    return personalKinds.flatMap((kind) => this.#counted.get(kind) ?? []);
  }
}

const maxValue = 2 ** 40;

/** Distribution of values in constant memory; quantiles are at most 1 % too high. */
export class Values {
  readonly #histogram: Histogram = build({
    bitBucketSize: 64,
    lowestDiscernibleValue: 1,
    highestTrackableValue: maxValue,
    numberOfSignificantValueDigits: 2,
  });
  #sum = 0;
  #max = 0;

  /** Adds a whole number from 0. */
  add(value: number): void {
    this.#histogram.recordValue(Math.min(value, maxValue));
    this.#sum += value;
    this.#max = Math.max(this.#max, value);
  }

  /** `null` without values. */
  summary(): Distribution | null {
    const count = this.#histogram.totalCount;
    if (count === 0) return null;
    const at = (percentile: number): number => Math.min(this.#max, this.#histogram.getValueAtPercentile(percentile));
    return { mean: this.#sum / count, p50: at(50), p95: at(95), p99: at(99), max: this.#max };
  }
}
