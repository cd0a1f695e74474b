import { cardRule, ibanRule, ipRule, keyRule, mailRule, phoneRule } from './personal-rules.ts';
import type { Found, PersonalRule } from './personal.ts';

/** What is found by an earlier rule is not searched by a later one: a card is no phone number. */
const rules: readonly PersonalRule[] = [keyRule, mailRule, ibanRule, cardRule, ipRule, phoneRule];

/** How much of the text before a match is looked at. */
const nearby = 40;

/** What looks personal in a text, in its order. It is no guarantee: names and addresses are not found at all. */
export function findPersonal(text: string): Found[] {
  let found: Found[] = [];
  let left = text;
  for (const rule of rules) {
    const matches = rule.needs.test(left) ? matchesOf(rule, left) : [];
    if (matches.length === 0) continue;
    left = without(left, matches);
    found = found.concat(matches);
  }
  return found.sort((a, b) => a.start - b.start);
}

function matchesOf({ kind, expression, valueOf }: PersonalRule, text: string): Found[] {
  return [...text.matchAll(expression)].flatMap(({ 0: match, index }) => {
    const value = valueOf(match, text.slice(Math.max(0, index - nearby), index));
    return value === undefined ? [] : [{ kind, start: index, end: index + match.length, value }];
  });
}

/** The text with what was found blotted out, at its length. */
function without(text: string, found: readonly Found[]): string {
  let at = 0;
  const parts = found.map(({ start, end }) => {
    const before = text.slice(at, start);
    at = end;
    return before + '\0'.repeat(end - start);
  });
  return parts.join('') + text.slice(at);
}
