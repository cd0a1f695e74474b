import { FormIndex } from './form-index.ts';
import { edgeRedactorOf, encodedFormsOf, formsOf, minSecret, redactorOf, redactTexts } from './redact.ts';

/** Maximum number of remembered secrets that are learned during a run; text with older ones was already written redacted. */
const maxPassing = 10_000;

/**
 * What no file, no log and no error may hold. It grows while a run goes on: tokens are renewed, cookies come.
 * `settled` ones are a few, and redacted in every form that they may take, however escaped; `passing` ones may be many,
 * and are redacted as they are and as JSON, URLs, HTML, base64 and hexadecimal text hold them.
 */
export class Secrets {
  /** The longest first: one may be a part of another. */
  #settled: Settled[] = [];
  readonly #passing = new Set<string>();
  /** Secrets learned during the run, in order: each new one replaces the oldest. */
  readonly #inTurn: string[] = [];
  #next = 0;
  /** The forms of passing secrets in small letters. */
  readonly #forms = new FormIndex();
  /** Those secrets in base64 and hexadecimal, which may be spread over several lines. */
  readonly #encoded = new FormIndex();

  /** The API key, and what else is known from the start. Empty texts are none. */
  constructor(apiKey = '', others: readonly string[] = []) {
    if (apiKey !== '') this.#settled.push(settled(apiKey));
    others.forEach((secret) => this.settle(secret));
  }

  /** Adds one of a few. */
  settle(secret: string): void {
    if (secret === '' || this.#settled.some((known) => known.secret === secret)) return;
    this.#settled = [...this.#settled, settled(secret, mark)].sort((a, b) => b.secret.length - a.secret.length);
  }

  /** Adds one of many. One shorter than eight characters is none: it would be found in other words. */
  pass(secret: string): void {
    if (secret.length < minSecret || this.#passing.has(secret)) return;
    this.#passing.add(secret);
    for (const form of small(formsOf(secret))) this.#forms.add(form);
    for (const form of small(encodedFormsOf(secret))) this.#encoded.add(form);
    const oldest = this.#inTurn[this.#next];
    this.#inTurn[this.#next] = secret;
    this.#next = (this.#next + 1) % maxPassing;
    if (oldest !== undefined) this.#forget(oldest);
  }

  /** A text from outside without the secrets, nor the beginning of one where the text was cut before it was received. */
  redact(text: string): string {
    const whole = this.#redactPassing(this.#settled.reduce((left, { redact }) => redact(left), text));
    return this.#forms.redactEnd(
      this.#settled.reduce((left, { redactEdges }) => redactEdges(left), whole),
      mark,
    );
  }

  /** Redacts every text of a JSON document; keys stay. A settled secret that is too short stays too: it is part of other words. */
  redactDocument<Json>(document: Json): Json {
    const long = this.#settled.filter(({ secret }) => secret.length >= minSecret);
    if (long.length === 0 && this.#forms.isEmpty) return document;
    return redactTexts(document, (text) => this.#redactPassing(long.reduce((left, { redact }) => redact(left), text)));
  }

  #forget(secret: string): void {
    this.#passing.delete(secret);
    for (const form of small(formsOf(secret))) this.#forms.remove(form);
    for (const form of small(encodedFormsOf(secret))) this.#encoded.remove(form);
  }

  #redactPassing(text: string): string {
    if (this.#forms.isEmpty) return text;
    const whole = this.#forms.redact(text, mark);
    const decoded = this.#forms.redact(whole, mark, percentAgain);
    return this.#encoded.redact(this.#encoded.redact(decoded, mark, lineBreaks), mark, betweenBytes);
  }
}

interface Settled {
  secret: string;
  redact: (text: string) => string;
  redactEdges: (text: string) => string;
}

const settled = (secret: string, mark?: string): Settled => ({
  secret,
  redact: redactorOf(secret, mark),
  redactEdges: edgeRedactorOf(secret, mark),
});

/** Each once: forms that differ only in capitals are one. */
const small = (forms: readonly string[]): Set<string> => new Set(forms.map((form) => form.toLowerCase()));

/** A percent sign that was encoded again. */
const percentAgain = /(?<=%)(?:25)+/g;
const lineBreaks = /\s+|\\{1,8}[nrt]/g;
const betweenBytes = /[\s:,-]+|(?:0|\\{1,8})x/g;

const mark = '[secret]';
