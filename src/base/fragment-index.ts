import type { DecodedText } from './decoded-text.ts';
import type { Effort } from './effort.ts';
import { minFormLength, type Form, type Span } from './secret-forms.ts';
import type { TailHashes } from './text-hash.ts';

/** Number of characters of a form that are redacted without the rest: half of it, within these limits. */
const [minFragment, maxFragment] = [12, 16];

/** A place in a form by which its parts are found. */
interface Anchor {
  form: Pick<Form, 'length' | 'mark'>;
  tails: TailHashes;
  offset: number;
}

/**
 * Finds parts of settled secrets, of which a service has cut or masked the rest. A part of 16 characters contains at least one of
 * the anchors, which are every eighth place of a form, and the last one: it is extended from there.
 */
export class FragmentIndex {
  readonly #anchors = new Map<number, Anchor>();

  /** Adds a form; `begins` receives the first character of each anchor. */
  add(form: Form, begins: (character: number) => void): void {
    const { tails, length, mark } = form;
    if (tails === undefined || length <= minFragment) return;
    const last = length - minFormLength;
    for (let at = 0; at < last + minFormLength; at += minFormLength) {
      const offset = Math.min(at, last);
      const half = tails.half(offset, offset + minFormLength, minFormLength);
      if (this.#anchors.has(half)) continue;
      this.#anchors.set(half, { form: { length, mark }, tails, offset });
      begins(tails.half(offset, offset + 1, 1) - 1);
    }
  }

  /** Returns the part of a form that has an anchor at a position of the text, by half of its hash. */
  find(decoded: DecodedText, start: number, half: number, effort: Effort): Span | undefined {
    const anchor = this.#anchors.get(half);
    if (anchor === undefined) return undefined;
    const { form, tails, offset } = anchor;
    const left = decoded.leftFrom(start);
    const after = longest(Math.min(form.length - offset, left), (count) => {
      effort.spend(1);
      return tails.whole(offset, offset + count, count) === decoded.hash(start, count);
    });
    if (after < minFormLength) return undefined;
    const before = !decoded.isMain(start)
      ? 0
      : longest(Math.min(offset, decoded.length - left), (count) => {
          effort.spend(1);
          return tails.whole(offset - count, offset, count) === decoded.hash(decoded.mainWith(left + count), count);
        });
    const count = before + after;
    if (count < fragmentOf(form.length)) return undefined;
    const begin = before === 0 ? start : decoded.mainWith(left + before);
    return { start: begin, end: decoded.endAfter(begin, count), mark: form.mark };
  }
}

const fragmentOf = (length: number): number => Math.min(maxFragment, Math.max(minFragment, Math.ceil(length / 2)));

/** Returns the largest number up to a maximum for which a test holds that holds for all smaller ones. */
function longest(max: number, holds: (count: number) => boolean): number {
  let [known, step] = [0, 1];
  while (known + step <= max && holds(known + step)) {
    known += step;
    step *= 2;
  }
  for (; step >= 1; step = Math.floor(step / 2)) if (known + step <= max && holds(known + step)) known += step;
  return known;
}
