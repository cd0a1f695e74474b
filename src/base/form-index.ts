/** The number of characters by which forms are found. */
const beginning = 8;

/** Forms with a common beginning, such as tokens of one issuer, and their number by length. */
interface Bucket {
  forms: Set<string>;
  lengths: Map<number, number>;
}

/** Many lower-case texts that are found in one search, in time that does not depend on their number. */
export class FormIndex {
  readonly #buckets = new Map<string, Bucket>();
  #longest = 0;

  get isEmpty(): boolean {
    return this.#buckets.size === 0;
  }

  /** Adds a form of at least eight characters. */
  add(form: string): void {
    const start = form.slice(0, beginning);
    let bucket = this.#buckets.get(start);
    if (bucket === undefined) this.#buckets.set(start, (bucket = { forms: new Set(), lengths: new Map() }));
    if (bucket.forms.has(form)) return;
    bucket.forms.add(form);
    bucket.lengths.set(form.length, (bucket.lengths.get(form.length) ?? 0) + 1);
    this.#longest = Math.max(this.#longest, form.length);
  }

  remove(form: string): void {
    const start = form.slice(0, beginning);
    const bucket = this.#buckets.get(start);
    if (bucket?.forms.delete(form) !== true) return;
    const left = (bucket.lengths.get(form.length) ?? 1) - 1;
    if (left === 0) bucket.lengths.delete(form.length);
    else bucket.lengths.set(form.length, left);
    if (bucket.forms.size === 0) this.#buckets.delete(start);
  }

  /** Replaces every form in a text by the mark. `ignored` matches characters that are skipped, within forms too. */
  redact(text: string, mark: string, ignored?: RegExp): string {
    if (this.isEmpty) return text;
    const { searched, places } = without(inSmallLetters(text), ignored);
    if (ignored !== undefined && places === undefined) return text;
    let redacted = '';
    let from = 0;
    for (let at = 0; at + beginning <= searched.length; at++) {
      const found = this.#longestAt(searched, at);
      if (found === 0) continue;
      redacted += text.slice(from, places?.[at] ?? at) + mark;
      at += found - 1;
      from = (places?.[at] ?? at) + 1;
    }
    return from === 0 ? text : redacted + text.slice(from);
  }

  /** Replaces the beginning of a form at the end of a text. */
  redactEnd(text: string, mark: string): string {
    const small = inSmallLetters(text);
    for (let at = Math.max(0, small.length - this.#longest); at + beginning <= small.length; at++) {
      const forms = this.#buckets.get(small.slice(at, at + beginning))?.forms ?? [];
      const end = small.slice(at);
      for (const form of forms) if (form.startsWith(end)) return text.slice(0, at) + mark;
    }
    return text;
  }

  #longestAt(text: string, at: number): number {
    const bucket = this.#buckets.get(text.slice(at, at + beginning));
    if (bucket === undefined) return 0;
    let longest = 0;
    for (const length of bucket.lengths.keys())
      if (length > longest && bucket.forms.has(text.slice(at, at + length))) longest = length;
    return longest;
  }
}

/**
 * Converts a text to lower case, unless a lower-case letter has another length, which would move all later positions.
 */
function inSmallLetters(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}

/** Removes the matches of an expression from a text; with the position of each remaining character, or no positions if nothing matches. */
function without(text: string, ignored?: RegExp): { searched: string; places?: Uint32Array } {
  if (ignored === undefined) return { searched: text };
  const parts: string[] = [];
  const places = new Uint32Array(text.length);
  let [from, filled] = [0, 0];
  const keep = (end: number): void => {
    parts.push(text.slice(from, end));
    for (let at = from; at < end; at++) places[filled++] = at;
  };
  for (const { index, 0: matched } of text.matchAll(ignored)) {
    keep(index);
    from = index + matched.length;
  }
  if (from === 0) return { searched: text };
  keep(text.length);
  return { searched: parts.join(''), places };
}
