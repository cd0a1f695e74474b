import type { PersonalKind } from '../../dataset/redact/personal.ts';

/** What looks personal, by its name: one, and several. */
export const personalNames: Readonly<Record<PersonalKind, readonly [one: string, several: string]>> = {
  key: ['key or token', 'keys or tokens'],
  mail: ['mail address', 'mail addresses'],
  iban: ['IBAN', 'IBANs'],
  card: ['card number', 'card numbers'],
  ip: ['IP address', 'IP addresses'],
  phone: ['phone number', 'phone numbers'],
};
