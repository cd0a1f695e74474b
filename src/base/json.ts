/** JSON text of a value; `undefined` for what JSON has no form for, such as functions (which its own type leaves out). */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value);
}
