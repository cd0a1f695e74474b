import { passesIban, passesLuhn } from './check-digits.ts';
import type { PersonalRule } from './personal.ts';

/** Cards by the first digits of their issuers, the length that those have, and their check digit; with the month in which they expire. */
export const cardRule: PersonalRule = {
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

/** Without separators, or with one kind of them between groups: not a list of numbers. */
const isEvenlySet = (match: string): boolean =>
  /^\d+$/.test(match) || /^\d{4}([ -])(?:\d{4}\1){2}\d{1,7}$/.test(match) || /^\d{4}([ -])\d{6}\1\d{4,5}$/.test(match);

/** Account numbers, with their check digits. */
export const ibanRule: PersonalRule = {
  kind: 'iban',
  needs: /[A-Z]{2}\d\d/,
  expression: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/g,
  valueOf: (match) => {
    const account = match.replaceAll(' ', '');
    return account.length >= 15 && account.length <= 34 && passesIban(account) ? account : undefined;
  },
};
