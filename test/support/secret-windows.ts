import { encodings } from './encodings.ts';

/** Number of characters that reveal a part of a secret: no other text contains them by chance. */
const size = 24;
/** Number of characters at either end of an encoded secret of which all windows are known; between them a part is. */
const dense = 600;
const step = 37;

/** A text without what reports add to it: escapes, and line breaks within it. */
const bare = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/[\\\s]/g, '');

/** Finds parts of secrets in texts, in every encoding of SECURITY.md. */
export class SecretWindows {
  readonly #windows = new Map<string, string>();

  constructor(secrets: readonly string[]) {
    for (const [at, secret] of secrets.entries())
      for (const [name, encode] of Object.entries(encodings))
        this.#add(`secret ${String(at + 1)}, ${name}`, bare(encode(secret)));
  }

  /** Returns the name of each text with a part of a secret, and the encoding and place of the first one. */
  findIn(texts: Readonly<Record<string, string>>): string[] {
    return Object.entries(texts).flatMap(([name, whole]) => {
      const text = bare(whole);
      for (let at = 0; at + size <= text.length; at++) {
        const found = this.#windows.get(text.slice(at, at + size));
        if (found !== undefined) return [`${name}: ${found}: ${text.slice(Math.max(0, at - 60), at + 60)}`];
      }
      return [];
    });
  }

  #add(name: string, encoded: string): void {
    const last = encoded.length - size;
    for (let at = 0; at <= last; at += at < dense || at > last - dense ? 1 : step)
      this.#windows.set(encoded.slice(at, at + size), name);
  }
}
