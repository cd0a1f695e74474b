/** API keys by the prefixes of their issuers, tokens, and private keys in PEM. */
const keyRule: PersonalRule = {
  kind: 'key',
  needs: /sk[-_]|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|hf_|eyJ|PRIVATE KEY|[Bb]earer |npm_|rk_/,
  expression: new RegExp(
    [
      'sk-[A-Za-z0-9_-]{20,200}',
      '[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}',
      'gh[pousr]_[A-Za-z0-9]{36,255}',
      'github_pat_[A-Za-z0-9_]{36,255}',
      'glpat-[A-Za-z0-9_-]{20,200}',
      'xox[abeprs]-[A-Za-z0-9-]{10,200}',
      '(?:AKIA|ASIA)[A-Z0-9]{16}',
      'AIza[A-Za-z0-9_-]{35}',
      'hf_[A-Za-z0-9]{30,200}',
      'npm_[A-Za-z0-9]{36}',
      'eyJ[A-Za-z0-9_-]{8,2000}\\.eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,1000}',
      '(?<=[Bb]earer )[A-Za-z0-9._~+/-]{20,2000}',
    ]
      .map((form) => `(?<![A-Za-z0-9_])${form}(?![A-Za-z0-9_])`)
      .concat('-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,10000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?')
      .join('|'),
    'g',
  ),
  // A match without digits is a word with hyphens, such as the name of a file or a style.
  valueOf: (match) => (/\d/.test(match) || match.startsWith('-----') ? match : undefined),
};

const mailRule: PersonalRule = {
  kind: 'mail',
  needs: /@/,
  expression:
    /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+-]{0,63}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}-])/gu,
  valueOf: (match) => (/\.(?:png|jpe?g|gif|svg|webp|css|js|ts)$/i.test(match) ? undefined : match.toLowerCase()),
};

/** Public IP addresses; private, loopback and mask addresses identify nobody. */
const ipRule: PersonalRule = {
  kind: 'ip',
  needs: /\d\.\d|:[0-9a-f]{0,4}:/i,
  expression:
    /(?<![\w.:/-])(?:\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)|(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,6}(?![\w:.]))/gi,
  valueOf: (match, before) =>
    match.includes(':')
      ? ipv6Of(match)
      : isPublicIpv4(match) && !/\b(?:v|version|release|section|§)\s*$/i.test(before)
        ? match
        : undefined,
};

function isPublicIpv4(match: string): boolean {
  const parts = match.split('.').map(Number);
  const [a = 0, b = 0, , d = 0] = parts;
  if (parts.some((part) => part > 255) || /(?:^|\.)0\d/.test(match)) return false;
  if ([0, 10, 127, 255].includes(a) || a >= 224 || d === 0) return false;
  return !((a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31) || (a === 169 && b === 254));
}

/** Excludes times, ranges and scopes of names in code: requires eight groups, or fewer with a gap, with digits and letters. */
function ipv6Of(match: string): string | undefined {
  const [head = '', tail, ...more] = match.toLowerCase().split('::');
  const groups = [head, tail ?? ''].flatMap((side) => (side === '' ? [] : side.split(':')));
  const isWhole =
    tail === undefined ? groups.length === 8 : more.length === 0 && groups.length >= 3 && groups.length <= 7;
  const isAddress = isWhole && /\d/.test(match) && groups.every((group) => /^[0-9a-f]{1,4}$/.test(group));
  return isAddress && groups.some((group) => group.length > 2) ? match.toLowerCase() : undefined;
}

/** Card numbers by the prefix and length of their issuer and their check digit, with the month of expiry. */
const cardRule: PersonalRule = {
  kind: 'card',
  needs: /\d{4}/,
  expression:
    /(?<![\w.,+-])\d(?:[ -]?\d){12,18}(?: (?:0[1-9]|1[0-2])\/(?:\d\d){1,2}(?!\w)|(?![\w]|[.,-]\d|(?<= \d\d)\/\d))/g,
  valueOf: (found) => {
    const match = found.replace(/ \d\d\/\d+$/, '');
    const digits = match.replace(/\D/g, '');
    return isEvenlySet(match) && issuers.some((issuer) => issuer.test(digits)) && passesLuhn(digits)
      ? digits
      : undefined;
  },
};

const issuers = [
  /^4\d{12}(?:\d{3}){0,2}$/,
  /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)\d+$(?<=^\d{16})/,
  /^3[47]\d{13}$/,
  /^(?:6011|64[4-9]|65)\d+$(?<=^\d{16,19})/,
  /^35(?:2[89]|[3-8]\d)\d{12}$/,
  /^(?:30[0-5]|36|38)\d+$(?<=^\d{14})/,
  /^62\d{14,17}$/,
];

/** Excludes lists of numbers: requires no separators, or one kind between groups. */
const isEvenlySet = (match: string): boolean =>
  /^\d+$/.test(match) || /^\d{4}([ -])(?:\d{4}\1){2}\d{1,7}$/.test(match) || /^\d{4}([ -])\d{6}\1\d{4,5}$/.test(match);

/** Bank account numbers with valid check digits. */
const ibanRule: PersonalRule = {
  kind: 'iban',
  needs: /[A-Z]{2}\d\d/,
  expression: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g,
  valueOf: (match) => {
    const account = match.replaceAll(' ', '');
    return account.length >= 15 && account.length <= 34 && passesIban(account) ? account : undefined;
  },
};

/** Reports whether digits end with a valid Luhn check digit, as cards do (ISO/IEC 7812-1). */
export function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** Reports whether an account number has the check digits of an IBAN (ISO 13616): its remainder by 97 is 1. */
export function passesIban(account: string): boolean {
  const turned = account.slice(4) + account.slice(0, 4);
  const rest = Array.from(turned).reduce((sum, character) => {
    const value = Number.parseInt(character, 36);
    return (sum * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
  return rest === 1;
}

/**
 * Phone numbers: international (`+44 20 7946 0958`, `0044 …`), American (`(415) 555-0132`, `415-555-0132`) and national with
 * a leading zero in groups (`030 901820`, `06 12 34 56 78`). Digits without separators are an order number rather than a
 * phone number, except after a word such as "call".
 */
const phoneRule: PersonalRule = {
  kind: 'phone',
  needs: /\d{2}/,
  expression:
    /(?<![\w.,:/#$€£¥@+-])(?:\+|\(\+?(?=\d{1,5}\)))?\d(?:[ ()./-]{0,2}\d){6,16}(?![\w]|[.,:/-]\d|[ ]?[%€$£¥])/g,
  valueOf: (match, before) => {
    const digits = match.replace(/\D/g, '');
    return isPhone(match, digits) || (isBare(match) && announced.test(before)) ? digits : undefined;
  },
};

function isPhone(match: string, digits: string): boolean {
  if (isDate.test(match)) return false;
  if (/^(?:\+|\(\+|00[1-9](?=\d*\D))/.test(match)) return digits.length >= 8 && digits.length <= 17;
  if (american.test(match)) return true;
  return national.test(match) && digits.length >= 9 && digits.length <= 12;
}

const american = /^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d([ .-]))[2-9]\d\d(?:\1|[ .-])\d{4}$/;
const national = /^(?:\(0\d{1,4}\)[ /-]?|0\d{1,4}[ /-])\d{2,8}(?:[ /-]\d{2,6}){0,4}$/;
/** Dates and times in digits: `2026-01-31`, `31.01.2026`, `01/31/2026`, `2026-01-31 12-30`. */
const isDate = /^(?:\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}|\d{1,2}[-./ ]\d{1,2}[-./ ]\d{4})(?:\D.*)?$/;

const isBare = (match: string): boolean => /^\d{9,12}$/.test(match);
const announced =
  /(?:phone|mobile|cell|call(?: me)?(?: at| on)?|whatsapp|tel|telefon|handy|rufnummer|téléphone|portable|teléfono|móvil|celular|telefone|电话|手机|電話)(?: ?(?:number|nummer|no|is|ist|est|es|é))*[ .:：]{0,3}$/iu;

/**
 * The order matters: a match of one rule hides that text from later rules, so that a card number is not taken for a
 * phone number.
 */
export const rules: readonly PersonalRule[] = [keyRule, mailRule, ibanRule, cardRule, ipRule, phoneRule];

/** Kinds of personal data, by the names of their placeholders. */
export const personalKinds = ['key', 'mail', 'iban', 'card', 'ip', 'phone'] as const;
export type PersonalKind = (typeof personalKinds)[number];

/** Personal data in a text. */
export interface Found {
  kind: PersonalKind;
  start: number;
  end: number;
  /** Normalized value, regardless of spelling. */
  value: string;
}

/** Detection of one kind. Every repetition in the expression is bounded, so that it takes linear time. */
export interface PersonalRule {
  kind: PersonalKind;
  /** Texts without a match of this are not searched. */
  needs: RegExp;
  expression: RegExp;
  /** Confirms a candidate, also by the preceding text; returns its normalized value, or `undefined`. */
  valueOf: (match: string, before: string) => string | undefined;
}

/** Returns the shape of personal data: letters as `x`, digits as `0`. */
export function mask(text: string): string {
  const shape = text
    .replace(/\p{L}/gu, 'x')
    .replace(/\p{N}/gu, '0')
    .replace(/[^x0 ()+.,:/_@-]/gu, '?');
  return shape.length <= maxShapeLength ? shape : `${shape.slice(0, maxShapeLength)}…`;
}

const maxShapeLength = 40;
