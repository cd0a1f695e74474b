import type { PersonalRule } from './personal.ts';

/**
 * Phone numbers as people write them: international (`+44 20 7946 0958`, `0044 …`), American (`(415) 555-0132`,
 * `415-555-0132`) and national with a leading zero in groups (`030 901820`, `06 12 34 56 78`). A bare run of digits is an
 * order number rather than a phone number, unless a word such as "call" stands before it.
 */
export const phoneRule: PersonalRule = {
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
