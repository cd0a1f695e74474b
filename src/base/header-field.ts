/** Returns the problem with the name of a header; `undefined`: HTTP can transmit it. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'has no name';
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) ? undefined : 'is not a name that HTTP can transmit';
}

/** Returns the problem with the value of a header; `undefined`: it can be sent. Never contains the value, which may be secret. */
export function valueFault(value: string): string | undefined {
  if (/[\r\n]/.test(value)) return 'a line break';
  if (/[^\t\P{Cc}]/u.test(value)) return 'a control character';
  return /[^\t\x20-\x7e\x80-\xff]/.test(value) ? 'a character that is not in Latin-1' : undefined;
}

export function isCredential(name: string): boolean {
  return (
    /auth|cookie|token|key|secret|passw|passphrase|credential|signature|pwd|jwt|csrf|xsrf|assertion|dpop/i.test(name) ||
    /(?:^|[-_])(?:pass|pin|otp|sid|sig|session|access|api)$/i.test(name)
  );
}

/** Masks the values in the query of a URL or path whose names suggest a credential. */
export function maskQuery(url: string): string {
  return url.replace(/([?&]([^=&#]*)=)[^&#]*/g, (whole, start: string, name: string) =>
    isCredential(name) ? `${start}[redacted]` : whole,
  );
}

/** Returns the secret parts of such a value: the value, and its parts without labels (`Bearer`, `sid=`). */
export function secretsOf(value: string): string[] {
  const words = value.split(/[\s;,]+/).flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  return [...new Set([value, ...words])].filter((secret) => secret.length >= minSecret);
}

/** Shorter secrets occur in other text. */
const minSecret = 8;
