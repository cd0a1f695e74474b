import { formsOf, leastSecret, redactorOf, redactTexts } from './redact.ts';

/** Those that come while a run goes on are remembered up to this number; what was written of older ones is redacted already. */
const mostPassing = 10_000;

/** The beginnings by which passing secrets are found. */
const beginning = leastSecret;

/**
 * What no file, no log and no error may hold. It grows while a run goes on: tokens are renewed, cookies come.
 * `settled` ones are a few, and redacted in every form that they may take, however escaped; `passing` ones may be many,
 * and are redacted as they are and as JSON, URLs, HTML, base64 and hexadecimal text hold them.
 */
export class Secrets {
  /** The longest first: one may be a part of another. */
  #settled: { secret: string; redact: (text: string) => string }[] = [];
  readonly #passing = new Set<string>();
  /** The same as they came: each takes the place of the oldest. */
  readonly #inTurn: string[] = [];
  #next = 0;
  /** The forms of passing secrets in small letters, by how they begin. */
  readonly #forms = new Map<string, Bucket>();

  /** The API key, and what else is known from the start. Empty texts are none. */
  constructor(apiKey = '', others: readonly string[] = []) {
    if (apiKey !== '') this.#settled.push({ secret: apiKey, redact: redactorOf(apiKey) });
    others.forEach((secret) => this.settle(secret));
  }

  /** Adds one of a few. */
  settle(secret: string): void {
    if (secret === '' || this.#settled.some((known) => known.secret === secret)) return;
    this.#settled = [...this.#settled, { secret, redact: redactorOf(secret, mark) }].sort(
      (a, b) => b.secret.length - a.secret.length,
    );
  }

  /** Adds one of many. One shorter than eight characters is none: it would be found in other words. */
  pass(secret: string): void {
    if (secret.length < leastSecret || this.#passing.has(secret)) return;
    this.#passing.add(secret);
    for (const form of smallFormsOf(secret)) this.#index(form);
    const oldest = this.#inTurn[this.#next];
    this.#inTurn[this.#next] = secret;
    this.#next = (this.#next + 1) % mostPassing;
    if (oldest !== undefined) this.#forget(oldest);
  }

  /** A text without the secrets. */
  redact(text: string): string {
    return this.#redactPassing(this.#settled.reduce((left, { redact }) => redact(left), text));
  }

  /** A JSON document of which every text is without them; keys stay. A settled secret that is too short stays too: it is in other words. */
  redactDocument<Json>(document: Json): Json {
    const long = this.#settled.filter(({ secret }) => secret.length >= leastSecret);
    if (long.length === 0 && this.#forms.size === 0) return document;
    return redactTexts(document, (text) => this.#redactPassing(long.reduce((left, { redact }) => redact(left), text)));
  }

  #index(form: string): void {
    const start = form.slice(0, beginning);
    let bucket = this.#forms.get(start);
    if (bucket === undefined) this.#forms.set(start, (bucket = { forms: new Set(), lengths: new Map() }));
    if (bucket.forms.has(form)) return;
    bucket.forms.add(form);
    bucket.lengths.set(form.length, (bucket.lengths.get(form.length) ?? 0) + 1);
  }

  #forget(secret: string): void {
    this.#passing.delete(secret);
    for (const form of smallFormsOf(secret)) {
      const start = form.slice(0, beginning);
      const bucket = this.#forms.get(start);
      if (bucket?.forms.delete(form) !== true) continue;
      const left = (bucket.lengths.get(form.length) ?? 1) - 1;
      if (left === 0) bucket.lengths.delete(form.length);
      else bucket.lengths.set(form.length, left);
      if (bucket.forms.size === 0) this.#forms.delete(start);
    }
  }

  #redactPassing(text: string): string {
    if (this.#forms.size === 0) return text;
    const small = text.toLowerCase();
    // Some letters have small forms of another length: what is found would be cut out of the wrong place.
    const searched = small.length === text.length ? small : text;
    let redacted = '';
    let from = 0;
    for (let at = 0; at + beginning <= searched.length; at++) {
      const found = this.#longestAt(searched, at);
      if (found === 0) continue;
      redacted += text.slice(from, at) + mark;
      from = at + found;
      at = from - 1;
    }
    return from === 0 ? text : redacted + text.slice(from);
  }

  #longestAt(text: string, at: number): number {
    const bucket = this.#forms.get(text.slice(at, at + beginning));
    if (bucket === undefined) return 0;
    let longest = 0;
    for (const length of bucket.lengths.keys())
      if (length > longest && bucket.forms.has(text.slice(at, at + length))) longest = length;
    return longest;
  }
}

/** Forms that begin alike, as tokens of one issuer do, and how many of them have each length. */
interface Bucket {
  forms: Set<string>;
  lengths: Map<number, number>;
}

/** Each once: what differs in capitals alone is one. */
const smallFormsOf = (secret: string): Set<string> => new Set(formsOf(secret).map((form) => form.toLowerCase()));

const mark = '[secret]';
