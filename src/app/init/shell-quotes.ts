/** Returns the contents of double quotes, in which a backslash escapes five characters. */
export function unescapeDouble(text: string): string {
  return text.replaceAll(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped));
}

const escape = /\\(?:x([\da-fA-F]{1,2})|([0-7]{1,3})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|c([^])|([^]))/g;
const controls: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Returns the contents of `$'...'`, whose `\x` and octal escapes are bytes of UTF-8, and `\u` and `\U` code points. */
export function unescapeAnsi(text: string): string {
  let [written, at] = ['', 0];
  let bytes: number[] = [];
  const flush = (between: string): void => {
    written += utf8Of(bytes) + between;
    bytes = [];
  };
  for (const { 0: whole, index, ...groups } of text.matchAll(escape)) {
    if (index > at) flush(text.slice(at, index));
    at = index + whole.length;
    const { 1: hex, 2: octal, 3: short, 4: long, 5: control, 6: other = '' } = groups;
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (control !== undefined) flush(String.fromCharCode(control.charCodeAt(0) & 0x1f));
    else flush(codePoint(short ?? long) ?? controls[other] ?? (/['"\\?]/.test(other) ? other : `\\${other}`));
  }
  flush(text.slice(at));
  return written;
}

/** Returns the character of a code point, or half of one: browsers write both halves of a pair. */
function codePoint(hex: string | undefined): string | undefined {
  const code = hex === undefined ? Number.NaN : Number.parseInt(hex, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined;
}

/** Decodes UTF-8; other bytes are those of Latin-1, as some browsers write them. */
function utf8Of(bytes: readonly number[]): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return String.fromCharCode(...bytes);
  }
}

/** Reports whether a text is quoted for cmd.exe. */
export function isForCmd(source: string): boolean {
  return /\^[ \t]*\r?\n|\bcurl(?:\.exe)?\s+\^"/i.test(source);
}

/** Returns a command for cmd.exe as a shell would quote it: `^` escapes the next character outside of plain quotes. */
export function fromCmd(source: string): string {
  let isQuoted = false;
  const parts = source.match(/\^[ \t]*(?:\r?\n)+[ \t]*|\^[^]|\\"|"|[^"\\^]+|[^]/g) ?? [];
  return parts
    .map((part) => {
      if (part === '"') isQuoted = !isQuoted;
      if (!part.startsWith('^') || isQuoted) return part;
      return /^\^[ \t]*\r?\n/.test(part) ? ' ' : part.slice(1);
    })
    .join('');
}
