import { DecodedText } from './decoded-text.ts';
import { Effort } from './effort.ts';
import { FormIndex } from './form-index.ts';
import { fewCharacters, maxEscape, minFormLength, openEscape, type Form, type Span } from './secret-forms.ts';

/** Marks of earlier redactions, which stay unchanged. */
export const keyMark = '[API key]';
export const secretMark = '[secret]';

/** Secrets of eight and more characters, found in one search: in time that depends neither on their number nor on their length. */
export class SecretIndex {
  readonly #indexes = searches.map((search) => ({ ...search, forms: new FormIndex(search.window) }));

  get isEmpty(): boolean {
    return this.#indexes.every(({ forms }) => forms.isEmpty);
  }

  /** Adds the forms of a secret. */
  add(forms: readonly Form[]): void {
    for (const form of forms) this.#indexOf(form)?.add(form);
  }

  remove(forms: readonly Form[]): void {
    for (const form of forms) this.#indexOf(form)?.remove(form);
  }

  /** Replaces secrets by their marks; with `edges` also their parts where the text was cut before it was received. */
  redact(text: string, edges = false): string {
    if (text.length < minFormLength) return text;
    const effort = new Effort(text.length);
    const isMarked = markedBefore(text);
    const found = new Spans();
    for (const { reading, forms } of this.#indexes) {
      if (forms.isEmpty) continue;
      const decoded = new DecodedText(text, reading, effort);
      forms.find(decoded, effort, (span) => isMarked(span.start) || found.add(span));
      if (edges) findEdges(forms, { decoded, reading, effort }, (span) => found.add(span));
    }
    return found.replaceIn(text);
  }

  #indexOf({ reading, window }: Form): FormIndex | undefined {
    return this.#indexes.find((index) => index.reading === reading && index.window === window)?.forms;
  }
}

/** Ways to search a text. */
const searches: readonly Pick<Form, 'reading' | 'window'>[] = [
  { reading: 'plain', window: minFormLength },
  { reading: 'base64', window: minFormLength },
  { reading: 'hex', window: minFormLength },
  { reading: 'plain', window: fewCharacters },
  { reading: 'raw', window: minFormLength },
  { reading: 'joined', window: minFormLength },
];

/** Reports each position within an earlier mark: a secret that begins there is a part of it. */
function markedBefore(text: string): (position: number) => boolean {
  let positions: Set<number> | undefined;
  return (position) => {
    positions ??= new Set(
      Array.from(text.matchAll(marks), ({ index, 0: mark }) => Array.from(mark, (_, at) => index + at)).flat(),
    );
    return positions.has(position);
  };
}

const marks = /\[(?:API key|secret)\]/g;

interface Searched extends Pick<Form, 'reading'> {
  decoded: DecodedText;
  effort: Effort;
}

/** Finds the beginning of a secret at the end of a text, and its end at the beginning, next to quotes and dots too. */
function findEdges(forms: FormIndex, { decoded, reading, effort }: Searched, found: (span: Span) => void): void {
  const { text } = decoded;
  const [closing = ''] = /["'`\s.…)\]}]{0,8}$/.exec(text.slice(-8)) ?? [];
  const end = text.length - closing.length;
  const open = openEscape.exec(text.slice(Math.max(0, end - maxEscape), end))?.[0] ?? '';
  // An escaped backslash before an open escape only marks the character that is cut.
  const [mark = ''] =
    escapedBackslash.exec(text.slice(Math.max(0, end - open.length - maxEscape), end - open.length)) ?? [];
  // The last digit of base64 differs if the secret was cut before it was encoded.
  const [digit = ''] =
    reading === 'base64' ? (lastDigit.exec(text.slice(Math.max(0, end - maxEscape), end)) ?? []) : [];
  for (const last of new Set([end, end - open.length, end - open.length - mark.length, end - digit.length])) {
    const span = forms.findBeginning(decoded, last, effort);
    if (span !== undefined) found({ ...span, end });
  }
  // The text from outside may follow the client's own words, such as `status 400: `.
  for (const from of [
    0,
    ...Array.from(text.slice(0, maxOwnWords).matchAll(/: /g), ({ index }) => index + 2).slice(0, 3),
  ]) {
    const start = from + (opening.exec(text.slice(from, from + 8))?.[0].length ?? 0);
    // Separators of hexadecimal digits.
    const begin = decoded.firstFrom(start);
    for (let first = begin; first < begin + maxEscape; first++) {
      if (!decoded.isMain(first) || (first > begin && !closedEscape.test(text.slice(begin, first)))) continue;
      const span = forms.findEnding(decoded, first, effort);
      if (span !== undefined) found({ ...span, start });
    }
  }
}

const opening = /^["'`\s.…([{]{0,8}/;
const maxOwnWords = 120;

const escapedBackslash = /(?:\\|%(?:25)*5c|&(?:amp;)*(?:#0*92|#x0*5c|bsol);?)+$/i;

/** Last digit and padding of base64, whose characters may be escaped for URLs. */
const lastDigit = /(?:[\w+/-]|%(?:25)*2[bf])(?:=|%(?:25)*3d){0,2}$/i;

/** An escape without its beginning. */
const closedEscape = /^(?:u?[\da-f]{1,4}|x[\da-f]{1,2}|(?:25)+[\da-f]{0,2}|(?:amp;)*#?\w{0,12};)$/i;

/** Parts of a text that are replaced by marks: overlapping ones by one mark. */
class Spans {
  readonly #spans: Span[] = [];

  add(span: Span): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && span.start >= last.start && span.start < last.end)
      last.end = Math.max(last.end, span.end);
    else this.#spans.push({ ...span });
  }

  replaceIn(text: string): string {
    this.#spans.sort((a, b) => a.start - b.start || b.end - a.end);
    let [redacted, from] = ['', 0];
    for (const { start, end, mark } of this.#spans) {
      if (start >= from) redacted += text.slice(from, start) + mark;
      from = Math.max(from, end);
    }
    return this.#spans.length === 0 ? text : redacted + text.slice(from);
  }
}
