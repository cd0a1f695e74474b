import type { Problem, Left, Skip } from '../../dataset/formats/format.ts';
import type { Repair } from '../../dataset/formats/settle-conversation.ts';
import type { PersonalKind } from '../../dataset/redact/personal-rules.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';

/** What a conversion did, and where it wrote to. */
export interface ConversionReport {
  files: readonly { path: string; format: string; container: string }[];
  to: string;
  read: number;
  written: number;
  scattered: number;
  turns: number;
  skipped: readonly (Left & { reason: Skip })[];
  repaired: ReadonlyMap<Repair, number>;
  /** `undefined`: that was not asked for. */
  redacted: ReadonlyMap<PersonalKind, number> | undefined;
  dedupedInPart: boolean;
  isCut: boolean;
}

/** What a conversion did, line by line. */
export function conversionLines(report: ConversionReport): string[] {
  const { files, to, read, written, scattered, turns, skipped, repaired, redacted, dedupedInPart, isCut } = report;
  return [
    ...files.map(({ path, format, container }) => `from      ${oneLine(path, Infinity)} (${format}, ${container})`),
    `read      ${countOf(read, 'conversation')}`,
    ...skipped.map(
      ({ reason, count, first }) =>
        `skipped   ${formatCount(count)} ${skipWords[reason]}${reason === 'notSampled' ? '' : placesOf(count, first)}`,
    ),
    ...(dedupedInPart ? ['          There were more conversations than are remembered: duplicates may be left.'] : []),
    ...(scattered === 0 ? [] : [`warning   ${scatteredText(scattered)}`]),
    ...[...repaired].map(([repair, count]) => `repaired  ${repairWords[repair](count)}`),
    ...(redacted === undefined ? [] : [redactionLine(redacted)]),
    ...(isCut
      ? ['stopped   the reader closed the pipe: the rest was not converted, and the last ones were perhaps not read']
      : []),
    `written   ${countOf(written, 'conversation')} with ${countOf(turns, 'turn')} to ${oneLine(to, Infinity)}`,
  ];
}

/** Of rows of conversations that are not next to each other. */
export function scatteredText(count: number): string {
  return `${countOf(count, 'conversation')} with the id of one before, not next to it: sort the file by conversation`;
}

/** Why something was left out, behind its number. */
export const skipWords: Readonly<Record<Skip, string>> = {
  malformed: 'malformed',
  tooLong: 'longer than 64 MB',
  otherForm: 'of another form',
  unknownRole: 'with a role that is not known',
  noUserMessage: 'without a message of the user',
  duplicate: 'said before (--dedupe)',
  otherLanguage: 'in another language, or in none that is stated (--language)',
  tooFewTurns: 'with fewer turns (--min-turns)',
  tooManyTurns: 'with more turns (--max-turns)',
  notSampled: 'not drawn (--sample)',
} satisfies Readonly<Record<Skip | Problem, string>>;

/** Where the first of them are, and what is wrong there. */
export function placesOf(count: number, first: Left['first']): string {
  const named = first.map(({ where, detail }) => oneLine(detail === '' ? where : `${where}: ${detail}`, maxPathLength));
  const more = count - named.length;
  return `: ${[...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('; ')}`;
}

const maxPathLength = 120;

const repairWords: Readonly<Record<Repair, (count: number) => string>> = {
  emptyMessages: (count) => `${countOf(count, 'empty message')} left out`,
  leadingReplies: (count) => `${countOf(count, 'message')} before the first of the user left out`,
  misplaced: (count) => `${countOf(count, 'message')} of the system later on, or of a tool before a reply, left out`,
  joinedMessages: (count) => `${countOf(count, 'message')} joined to the one before, of the same role`,
  loneSurrogates: (count) => `${countOf(count, 'message')} with half a character, which is U+FFFD now`,
};

function redactionLine(redacted: ReadonlyMap<PersonalKind, number>): string {
  const counts = [...redacted].map(([kind, count]) => countOf(count, ...personalNames[kind]));
  return `redacted  ${counts.length === 0 ? 'nothing' : counts.join(', ')}; what is not found stays: this is no guarantee`;
}

/** What looks personal, by its name: one, and several. */
export const personalNames: Readonly<Record<PersonalKind, readonly [one: string, several: string]>> = {
  key: ['key or token', 'keys or tokens'],
  mail: ['mail address', 'mail addresses'],
  iban: ['IBAN', 'IBANs'],
  card: ['card number', 'card numbers'],
  ip: ['IP address', 'IP addresses'],
  phone: ['phone number', 'phone numbers'],
};
