import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { textsOfPage, textsOfSource, type ReadText, type TextKind } from './language.ts';

/** A phrase that readers have to read twice, and its replacement. */
interface Rule {
  banned: RegExp;
  instead: string;
  kinds: readonly TextKind[];
  /** Text that the rule has to find. */
  example: string;
  /** Number of standard uses. Lower it when one goes. */
  max?: number;
}

const read = ['comment', 'string', 'prose'] as const;

const rules: readonly Rule[] = [
  {
    banned: /^(What|How|Who|Where|Why)\b(?!.*\?$)/,
    instead: 'a noun or a verb: "Number of retries", "Returns the ..."',
    kinds: ['comment'],
    example: 'What a run has and a search has not.',
  },
  {
    banned: /^(Of|The same|Its|Those|By which) /,
    instead: 'the noun itself',
    kinds: ['comment'],
    example: 'Of what is no 200 or 201.',
  },
  {
    banned: /\bin pieces\b/i,
    instead: 'streamed',
    kinds: read,
    example: 'Asks for replies in pieces.',
  },
  {
    banned:
      /(?<!there )\b(is|are|was|were) no (stream|reply|figure|session|turn|file|number|run|text|request|value|key|token)s?\b/,
    instead: 'is not a ...',
    kinds: read,
    example: 'What is no stream has no events.',
  },
  {
    banned: /\b(say|says|said|tell|tells|told)\b(?! whether)/i,
    instead: 'contains, reports, shows, states',
    kinds: read,
    example: 'Tokens as a reply tells them.',
  },
  {
    banned: /\b(come|comes|came)\b/i,
    instead: 'is measured, is received, arrives',
    kinds: read,
    example: 'The instant at which it came.',
  },
  {
    banned: /\b(hear|hears|heard)\b/i,
    instead: 'receives, is called with',
    kinds: read,
    example: 'The observer hears of it.',
  },
  {
    banned: /\b(beside|anew|once more)\b/i,
    instead: 'next to, again',
    kinds: read,
    example: 'The journal beside it.',
  },
  {
    banned: /\bwhere (there is|there are|none)\b/i,
    instead: 'if',
    kinds: read,
    example: 'Null where there is none.',
  },
  {
    banned: /\bcannot be had\b/i,
    instead: 'is not available',
    kinds: read,
    example: 'A token that cannot be had.',
  },
  {
    banned: /^(?!mostUsed|mostSpecific|longestLevel)(most|least|longest|fewest)[A-Z]/,
    instead: 'max..., min...',
    kinds: ['identifier'],
    example: 'mostTurns',
  },
];

/** Files whose strings are speech of users and agents, or samples of words. */
const speech = /make-message|questions\.ts|compose-reply|scenario-source|sections\/warning|^scenarios\/|^bench\//;

const root = fileURLToPath(new URL('../..', import.meta.url));
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.includes('node_modules'))
    .map((file) => join(folder, file));

/** Texts of the product: its source, the scenarios, and its pages. */
const texts: readonly ReadText[] = [
  ...['src', 'scenarios', 'dev', 'bench'].flatMap(filesIn).filter((file) => /(?<!\.test)\.tsx?$/.test(file)),
  ...[...filesIn('docs'), 'README.md', 'SECURITY.md', 'CHANGELOG.md'].filter((file) => file.endsWith('.md')),
].flatMap((file) => (file.endsWith('.md') ? textsOfPage : textsOfSource)(file, readFileSync(join(root, file), 'utf8')));

const breaks = (rule: Rule, { kind, file, text }: ReadText): boolean =>
  rule.kinds.includes(kind) && rule.banned.test(text) && !(kind === 'string' && speech.test(file));

describe('texts and names use the standard terms of the field', () => {
  test.each(rules.map((rule) => [String(rule.banned), rule] as const))('none matches %s', (_, rule) => {
    const found = texts.filter((text) => breaks(rule, text));
    const listed = found.map(({ file, line, text }) => `${file}:${String(line)}: ${text.slice(0, 120)}`);
    const { instead, max = 0 } = rule;
    expect(found.length <= max ? [] : listed, `at most ${String(max)}; write: ${instead}`).toEqual([]);
  });

  test.each(rules.map((rule) => [rule.example, rule] as const))('a rule finds "%s"', (example, rule) => {
    const written = rule.kinds[0] === 'identifier' ? `const ${example} = 1;` : `/** ${example} */\nconst a = 1;`;
    expect(textsOfSource('example.ts', written).filter((text) => breaks(rule, text))).toHaveLength(1);
  });

  test('code of a page is not read, its sentences are', () => {
    const page = 'It says so.\n\n```sh\nsays\n```\n\nThe word `says` is quoted.';
    expect(textsOfPage('page.md', page).filter(({ text }) => text.includes('says'))).toHaveLength(1);
  });
});
