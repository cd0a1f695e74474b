import { randomOf } from '../src/base/random.ts';
import { Secrets } from '../src/base/secrets.ts';
import { withheldText } from '../src/base/redact.ts';
import type { Chapter } from './chapter.ts';

const keyLengths = [8, 64, 512, 4096, 16_384, 65_536];
const textLength = 1_000_000;
/** Maximum time with any key relative to the shortest one. */
const maxRatio = { ordinary: 1.5, adversarial: 2 };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const words =
  'the order of your customer was sent on Monday and has arrived, says the "agent" in C:\\temp & <b>more</b>\n';

function keyOf(length: number): string {
  const random = randomOf(length);
  return Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
}

const filled = (unit: string): string => unit.repeat(Math.ceil(textLength / unit.length)).slice(0, textLength);
const bytewise = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

interface Text {
  name: string;
  textFor: (key: string) => string;
  allowed: number;
}

/** Texts of one megabyte. */
const texts: readonly Text[] = [
  ...(
    [
      ['plain', words.replaceAll(/[\\&<>"]/g, '')],
      ['escaped for JSON, twice', JSON.stringify(JSON.stringify(words))],
      ['percent-encoded', bytewise(words)],
      ['base64', Buffer.from(words.repeat(57)).toString('base64')],
    ] as const
  ).map(([name, unit]): Text => {
    const text = filled(unit);
    return { name, textFor: () => text, allowed: maxRatio.ordinary };
  }),
  ...(
    [
      ['beginnings of 8 characters of the key', (key) => `${key.slice(0, 8)} `],
      ['the key without its last character', (key) => key.slice(0, -1)],
      ['beginnings of the key in base64', (key) => Buffer.from(key.slice(0, -1)).toString('base64')],
    ] as const satisfies readonly (readonly [string, (key: string) => string])[]
  ).map(([name, unitOf]): Text => ({
    name,
    textFor: (key) => filled(unitOf(key)),
    allowed: maxRatio.adversarial,
  })),
];

/** Measures the redaction of texts with keys of several lengths: the time must hardly depend on the length of the key. */
export function measureRedaction({ rounds, report }: { rounds: number; report: (text: string) => void }): Chapter {
  const keys = keyLengths.map((length) => {
    const key = keyOf(length);
    return { key, secrets: new Secrets(key) };
  });
  let broken = 0;
  const rows = texts.map(({ name, textFor, allowed }) => {
    report(name);
    // Once before the measurement, so that the code is compiled.
    for (const { key, secrets } of keys) timeOf(secrets, textFor(key));
    const times = keys.map(() => [] as number[]);
    // The keys take turns, so that another load of the machine affects all of them.
    for (let round = 0; round < 2 * rounds; round++)
      keys.forEach(({ key, secrets }, at) => times[at]?.push(timeOf(secrets, textFor(key))));
    const least = times.map((each) => Math.min(...each));
    const ratio = Math.max(...least) / (least[0] ?? NaN);
    const verdict = ratio <= allowed ? 'holds' : 'broken';
    if (verdict === 'broken') broken++;
    const cells = least.map((time) => `${time.toFixed(0)} ms`);
    return [name, ...cells, ratio.toFixed(2), `≤ ${allowed.toFixed(2)}`, verdict];
  });
  const head = ['text of 1 MB', ...keyLengths.map((length) => String(length)), 'maximum ÷ shortest', 'allowed', ''];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  const how = `CPU time to redact a text, by the number of characters of the key. Minima of ${String(2 * rounds)} rounds, in which the keys take turns; the texts contain no whole key. Only the search for a part of the key at the end of a text depends on the length of the key: one step per character of the shorter of both. Differences between shorter keys come from their first characters, at which a text is compared.`;
  return { title: 'Redaction', text: `${how}\n\n${lines.join('\n')}`, broken };
}

function timeOf(secrets: Secrets, text: string): number {
  const before = process.cpuUsage();
  const redacted = secrets.redact(text);
  const { user, system } = process.cpuUsage(before);
  if (redacted === withheldText) throw new Error('a text was withheld');
  return (user + system) / 1000;
}
