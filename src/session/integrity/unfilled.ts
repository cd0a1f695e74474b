/**
 * The placeholders in a text that could be variables left unfilled, each once, as written: those that
 * begin with a known variable, and any other lone name outside quoted code. Anything else in double braces
 * (`{{#if}}`, `{{ user.name | upper }}`) is a template language that the agent speaks of.
 */
export function unfilledIn(text: string, variables: readonly string[]): string[] {
  const known = placeholdersIn(text, (inner) => variables.includes(firstName.exec(inner)?.[0] ?? ''));
  return [...new Set([...known, ...placeholdersIn(text.replace(quotedCode, ''), isLone)])];
}

const placeholder = /(?<!\{)\{\{([^{}]{1,200})\}\}(?!\})/g;
const firstName = /^[\p{L}_][\p{L}\p{N}_-]*/u;
const loneName = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
/** Words of template languages that look like names. */
const keywords: readonly string[] = ['else', 'end', 'this'];
/** Between backticks, or from a fence to the next one. */
const quotedCode = /```[^]*?(?:```|$)|`[^`\n]*`/g;

const placeholdersIn = (text: string, isOne: (inner: string) => boolean): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, inner = '']) => (isOne(inner.trim()) ? [whole] : []));

const isLone = (inner: string): boolean => loneName.test(inner) && !keywords.includes(inner);
