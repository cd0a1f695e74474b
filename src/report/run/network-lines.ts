import type { Result } from '../../result/result.ts';
import type { Transport } from '../../result/sections/transport.ts';
import { countOf, formatCount, formatShare } from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';
import { insecureTexts } from './insecure-texts.ts';

/** More of them are only counted. */
const mostAddresses = 3;

/** How connections were made: TLS, which addresses answered where there was more than one, and tokens that end. */
export function networkLines({ transport }: Pick<Result, 'transport'>, { width }: Style): string[] {
  if (transport === null) return [];
  const { tls, addresses, tokens } = transport;
  return [
    ...(tls === null ? [] : [paragraph(tlsText(tls), { width, first: 'tls       ' })]),
    ...(addresses.length < 2 ? [] : [paragraph(addressesText(addresses), { width, first: 'addresses ' })]),
    ...(tokens === null ? [] : [paragraph(tokensText(tokens), { width, first: 'tokens    ' })]),
  ];
}

/** That certificates were not verified, in red. */
export function insecureLines({ scenario: { plan } }: Pick<Result, 'scenario'>, { width, colors }: Style): string[] {
  return insecureTexts(plan).map((line) => paragraph(line, { width, paint: colors.red }));
}

function tlsText({ protocol, handshakes, resumed, issuer, validTo }: NonNullable<Transport['tls']>): string {
  const by = issuer === '' ? '' : `; certificate by ${issuer}`;
  const until = validTo === null ? '' : `, until ${validTo.slice(0, 10)}`;
  return `${protocol}, ${countOf(handshakes, 'handshake')}, ${resumedText({ handshakes, resumed })}${by}${until}`;
}

/** The share of handshakes that resumed a session. */
export function resumedText({
  handshakes,
  resumed,
}: Pick<NonNullable<Transport['tls']>, 'handshakes' | 'resumed'>): string {
  return `${formatShare(resumed / Math.max(1, handshakes))} of them resumed`;
}

/** What became of tokens that end. */
export function tokensText({ fetched, failed, retried }: NonNullable<Transport['tokens']>): string {
  const failures = failed === 0 ? '' : `, ${countOf(failed, 'failure')} to obtain one`;
  return `${formatCount(fetched)} obtained${failures}, ${countOf(retried, 'attempt')} made again with a new one`;
}

function addressesText(addresses: Transport['addresses']): string {
  const first = addresses
    .slice(0, mostAddresses)
    .map(({ address, connections }) => `${address} (${countOf(connections, 'connection')})`);
  const rest = addresses.length - first.length;
  return `${formatCount(addresses.length)}: ${first.join(', ')}${rest === 0 ? '' : ` and ${formatCount(rest)} more`}`;
}
