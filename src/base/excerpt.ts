/**
 * Returns the beginning of a text from outside, without secrets. Redacts, then cuts: a text that is cut first may end with most
 * of a secret, which no redaction finds.
 */
export function excerpt(text: string, redact: (text: string) => string, maxLength: number): string {
  const redacted = redact(text);
  return redacted.length <= maxLength ? redacted : `${redacted.slice(0, maxLength).replace(halfCharacter, '')}…`;
}

/** First half of a UTF-16 surrogate pair whose second half was cut off. */
const halfCharacter = /[\ud800-\udbff]$/;

/** Returns a name from outside if it is short, otherwise only its length: for code that does not know the secrets. */
export function nameOrLength(name: string, maxLength: number): string {
  return name.length <= maxLength ? name : `(${String(name.length)} characters)`;
}
