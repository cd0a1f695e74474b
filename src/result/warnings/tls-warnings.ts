import type { Transport } from '../sections/transport.ts';
import type { Warning } from '../sections/warning.ts';

/** From here on the end of a certificate is worth a word. */
const soonDays = 14;

const dayMs = 86_400_000;

/** What is doubtful about the encryption of a run that began at an instant. */
export function tlsWarnings(tls: Transport['tls'], startedAt: string): Warning[] {
  if (tls === null) return [];
  return [
    ...(tls.isVerified ? [] : [unverified]),
    ...endingWarnings({ whose: 'target', issuer: tls.issuer, validTo: tls.validTo }, Date.parse(startedAt)),
  ];
}

interface Certificate {
  whose: 'target' | 'client';
  issuer: string;
  /** ISO 8601; `null` where it is not known. */
  validTo: string | null;
}

/** The warning that a certificate ends within 14 days, or has ended; none where it goes on, or its end is not known. */
export function endingWarnings({ whose, issuer, validTo }: Certificate, now: number): Warning[] {
  const leftMs = validTo === null ? Infinity : Date.parse(validTo) - now;
  if (!(leftMs < soonDays * dayMs)) return [];
  const by = issuer === '' ? '' : ` (issued by ${issuer})`;
  const owner = whose === 'client' ? 'The client certificate' : `The certificate of the target${by}`;
  const days = Math.floor(leftMs / dayMs);
  const end = `on ${(validTo ?? '').slice(0, 10)}`;
  const left = days < 1 ? 'within a day' : `in ${days === 1 ? 'a day' : `${String(days)} days`}`;
  return [
    {
      code: `${whose}_certificate_ends`,
      message: leftMs < 0 ? `${owner} ended ${end}.` : `${owner} ends ${left}, ${end}.`,
      remedy: 'Have it renewed: from then on no connection can be made.',
    },
  ];
}

const unverified: Warning = {
  code: 'certificates_not_verified',
  message:
    'The certificate of the target was not verified (--insecure): the replies may come from anyone, and the key is known to them.',
  remedy: 'Name the authority of the service with --ca, and replace the key if it is one of production.',
};
