import { charactersOf, widthOf } from './width.ts';

/** The private-use planes, but for the fillers. */
const firstCode = 0xf_0000;
const codes = 0x1_fffe;
const filler = '\ue000';
/** With the character before it, which a combining mark may belong to. */
const beyondAscii = /[ -~]?[^\0-\x7f]+/gu;
const standIns = /[\u{f0000}-\u{10fffd}]\ue000*/gu;

/**
 * Code points of known width in the place of characters that cli-table3 may measure differently from a terminal: it
 * knows no emoji newer than Unicode 12 and the combining marks of few scripts. Every distinct character gets a code
 * point of the private-use planes, followed by a filler for each further column that it takes up.
 */
export class StandIns {
  readonly #codes = new Map<string, string>();
  readonly #characters = new Map<string, string>();

  /** Replaces the characters beyond ASCII in the text of a cell; ASCII, with the escape sequences of colors, stays. */
  replace(cell: string): string {
    return cell.replace(beyondAscii, (run) =>
      charactersOf(run)
        .map((character) => this.#codeOf(character))
        .join(''),
    );
  }

  /** Puts the characters back. */
  restore(table: string): string {
    return table.replace(standIns, (code) => this.#characters.get(code) ?? code);
  }

  #codeOf(character: string): string {
    if (character.length === 1 && character < '\x7f') return character;
    const known = this.#codes.get(character);
    if (known !== undefined || this.#codes.size === codes) return known ?? character;
    const code =
      String.fromCodePoint(firstCode + this.#codes.size) + filler.repeat(Math.max(0, widthOf(character) - 1));
    this.#codes.set(character, code);
    this.#characters.set(code, character);
    return code;
  }
}
