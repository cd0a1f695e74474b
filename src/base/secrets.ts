import { FormIndex } from './form-index.ts';
import { mapTexts } from './printable.ts';
import { edgeRedactorOf, encodedFormsOf, formsOf, minSecret, redactorOf } from './redact.ts';

/** Maximum number of remembered secrets that are learned during a run; text with older ones was already written redacted. */
const maxPassing = 10_000;

/** Returns the secrets among environment variables, by their names. */
export function environmentSecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  const named = Object.entries(environment).filter(([name]) => /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD)$/i.test(name));
  return named.flatMap(([, value = '']) => (value.length < minSecret ? [] : [value]));
}

/**
 * Secrets that must never be written. Their number grows during a run, with renewed tokens and new cookies. The few `settled`
 * ones are redacted in every form, however escaped; the `passing` ones, which may be many, are redacted as they are and in
 * JSON, URLs, HTML, base64 and hexadecimal text.
 */
export class Secrets {
  /** In order of decreasing length: one may be a part of another. */
  #settled: Settled[] = [];
  readonly #passing = new Set<string>();
  /** Secrets learned during the run, in order: each new one replaces the oldest. */
  readonly #inTurn: string[] = [];
  #next = 0;
  /** Lower-case forms of passing secrets. */
  readonly #forms = new FormIndex();
  /** Base64 and hexadecimal forms, which may extend over several lines. */
  readonly #encoded = new FormIndex();

  /** Takes the secrets that are known from the start; ignores empty texts. */
  constructor(apiKey = '', others: readonly string[] = []) {
    if (apiKey !== '') this.#settled.push(settled(apiKey));
    others.forEach((secret) => this.settle(secret));
  }

  /** Adds one of the few secrets that are redacted in every form. */
  settle(secret: string): void {
    if (secret === '' || this.#settled.some((known) => known.secret === secret)) return;
    this.#settled = [...this.#settled, settled(secret, mark)].sort((a, b) => b.secret.length - a.secret.length);
  }

  /** Adds one of many secrets. Ignores those shorter than eight characters, which occur in other text. */
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

  /** Redacts a text from outside, including the beginning of a secret where the text was cut before it was received. */
  redact(text: string): string {
    const whole = this.#redactPassing(this.#settled.reduce((left, { redact }) => redact(left), text));
    return this.#forms.redactEnd(
      this.#settled.reduce((left, { redactEdges }) => redactEdges(left), whole),
      mark,
    );
  }

  /** Redacts every text of a JSON document except keys. Keeps settled secrets that are too short, which occur in other text. */
  redactDocument<Json>(document: Json): Json {
    const long = this.#settled.filter(({ secret }) => secret.length >= minSecret);
    if (long.length === 0 && this.#forms.isEmpty) return document;
    return mapTexts(document, (text) => this.#redactPassing(long.reduce((left, { redact }) => redact(left), text)));
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

type Settled = ReturnType<typeof settled>;

const settled = (secret: string, mark?: string) => ({
  secret,
  redact: redactorOf(secret, mark),
  redactEdges: edgeRedactorOf(secret, mark),
});

/** Returns the distinct forms in lower case. */
const small = (forms: readonly string[]): Set<string> => new Set(forms.map((form) => form.toLowerCase()));

/** A percent sign that was encoded again. */
const percentAgain = /(?<=%)(?:25)+/g;
const lineBreaks = /\s+|\\{1,8}[nrt]/g;
const betweenBytes = /[\s:,-]+|(?:0|\\{1,8})x/g;

const mark = '[secret]';
