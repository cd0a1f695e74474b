/**
 * The characters of a response head, as llhttp's strict mode takes them (RFC 9110, section 5.6.2 and 5.5). Tables for
 * reading bytes, expressions for lines that were decoded as latin1: both are made from the same two classes.
 */
const tokenClass = "!#$%&'*+\\-.^_`|~0-9A-Za-z";
const valueClass = '\\t\\x20-\\x7e\\x80-\\xff';

const byteTable = (characters: string): Uint8Array => {
  const member = new RegExp(`[${characters}]`);
  return Uint8Array.from({ length: 256 }, (_, byte) => (member.test(String.fromCharCode(byte)) ? 1 : 0));
};

/** 1 for a byte allowed in a header's name. */
export const isTokenByte = byteTable(tokenClass);
/** 1 for a byte allowed in a header's value. */
export const isValueByte = byteTable(valueClass);

/** Version, status. The reason may hold anything but a line break. */
export const statusLine = /^HTTP\/(0\.9|1\.0|1\.1|2\.0) (\d{3})(?: .*)?$/s;

/** Name, and value with the white space around it. A folded line does not match: it starts with white space. */
export const headerLine = new RegExp(`^([${tokenClass}]+):([${valueClass}]*)$`);

const quotedString = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const chunkExtension = `;(?:[${tokenClass}]+|(?=[=;]))(?:=[${tokenClass}]*(?:${quotedString})?)?`;

/** Size in hexadecimal digits; extensions are checked and ignored. */
export const chunkSizeLine = new RegExp(`^([0-9A-Fa-f]+)(?:${chunkExtension})*$`);
