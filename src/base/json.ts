/** JSON text of a value; `undefined` for what JSON has no form for, such as functions (which its own type leaves out). */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value);
}

/** The same of what is to be sent: throws on a number that JSON would make `null` of. */
export function sendableText(value: unknown): string | undefined {
  return JSON.stringify(value, refuseUnsendable);
}

/** A number that JSON has no form for. */
export function isUnsendable(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function refuseUnsendable(_key: string, value: unknown): unknown {
  if (isUnsendable(value)) throw new TypeError(`${String(value)} cannot be sent as JSON`);
  return value;
}
