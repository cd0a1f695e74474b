import type { Problem, Left, Skip } from '../../dataset/formats/format.ts';
import type { Repair } from '../../dataset/formats/repair-conversation.ts';
import type { PersonalKind } from '../../dataset/redact/personal-rules.ts';
import { countOf, formatCount } from '../../base/format.ts';
import { oneLine } from '../words/width.ts';

export interface ConversionReport {
  files: readonly { path: string; format: string; container: string }[];
  to: string;
  read: number;
  written: number;
  scattered: number;
  turns: number;
  skipped: readonly (Left & { reason: Skip })[];
  repaired: ReadonlyMap<Repair, number>;
  /** `undefined` unless redaction was requested. */
  redacted: ReadonlyMap<PersonalKind, number> | undefined;
  dedupedInPart: boolean;
  isCut: boolean;
}

export function conversionLines(report: ConversionReport): string[] {
  const { files, to, read, written, scattered, turns, skipped, repaired, redacted, dedupedInPart, isCut } = report;
  return [
    ...files.map(({ path, format, container }) => `from      ${oneLine(path, Infinity)} (${format}, ${container})`),
    `read      ${countOf(read, 'conversation')}`,
    ...skipped.map(
      ({ reason, count, first }) =>
        `skipped   ${formatCount(count)} ${skipTexts[reason]}${reason === 'notSampled' ? '' : placesOf(count, first)}`,
    ),
    ...(dedupedInPart ? ['          There were too many conversations to find all duplicates.'] : []),
    ...(scattered === 0 ? [] : [`warning   ${scatteredText(scattered)}`]),
    ...[...repaired].map(([repair, count]) => `repaired  ${repairTexts[repair](count)}`),
    ...(redacted === undefined ? [] : [redactionLine(redacted)]),
    ...(isCut
      ? ['stopped   the reader closed the pipe: the rest was not converted, and the last lines may be lost']
      : []),
    `written   ${countOf(written, 'conversation')} with ${countOf(turns, 'turn')} to ${oneLine(to, Infinity)}`,
  ];
}

/** Describes conversations whose rows are not adjacent. */
export function scatteredText(count: number): string {
  return `${countOf(count, 'conversation')} repeated an earlier id in a non-adjacent row: sort the file by conversation`;
}

/** Reasons for skipping, to follow a number. */
export const skipTexts: Readonly<Record<Skip, string>> = {
  malformed: 'malformed',
  tooLong: 'longer than 64 MB',
  otherForm: 'in another format',
  unknownRole: 'with an unknown role',
  noUserMessage: 'without a user message',
  duplicate: 'as duplicate (--dedupe)',
  otherLanguage: 'in another or an unknown language (--language)',
  tooFewTurns: 'with fewer turns (--min-turns)',
  tooManyTurns: 'with more turns (--max-turns)',
  notSampled: 'not drawn (--sample)',
} satisfies Readonly<Record<Skip | Problem, string>>;

/** Lists the first occurrences and their problems. */
export function placesOf(count: number, first: Left['first']): string {
  const named = first.map(({ where, detail }) => oneLine(detail === '' ? where : `${where}: ${detail}`, maxPathLength));
  const more = count - named.length;
  return `: ${[...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('; ')}`;
}

const maxPathLength = 120;

const repairTexts: Readonly<Record<Repair, (count: number) => string>> = {
  emptyMessages: (count) => `${countOf(count, 'empty message')} removed`,
  leadingReplies: (count) => `${countOf(count, 'message')} before the first user message removed`,
  misplaced: (count) => `${countOf(count, 'message')} removed: late system messages, or tool results before a reply`,
  joinedMessages: (count) => `${countOf(count, 'message')} merged with the previous one of the same role`,
  loneSurrogates: (count) => `${countOf(count, 'message')} with lone surrogates, replaced by U+FFFD`,
};

function redactionLine(redacted: ReadonlyMap<PersonalKind, number>): string {
  const counts = [...redacted].map(([kind, count]) => countOf(count, ...personalNames[kind]));
  return `redacted  ${counts.length === 0 ? 'nothing' : counts.join(', ')}; undetected personal data may remain (no guarantee)`;
}

export const personalNames: Readonly<Record<PersonalKind, readonly [one: string, several: string]>> = {
  key: ['key or token', 'keys or tokens'],
  mail: ['mail address', 'mail addresses'],
  iban: ['IBAN', 'IBANs'],
  card: ['card number', 'card numbers'],
  ip: ['IP address', 'IP addresses'],
  phone: ['phone number', 'phone numbers'],
};
