import fc from 'fast-check';
import { alter, changes, unraw } from '../damage.ts';
import { loadedNames, weirdText } from '../weird.ts';
import type { Part, Writing } from './parts.ts';

const oddData = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'null',
    '[]',
    '{}',
    '""',
    '0',
    '[DONE]',
    ' [DONE] ',
    '"[DONE]"',
    '{"type":"ping"}',
    '\ud800',
  ),
  fc.constantFrom(
    '{"error":{"message":"Over","code":429}}',
    '{"error":"Over"}',
    '{"type":"error","error":null}',
    '{"detail":[[]]}',
    '{"__proto__":{"error":"x"},"type":"__proto__"}',
    `{"a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  ),
  fc.json({ stringUnit: 'binary' }),
  weirdText.map((text) => text.replaceAll(/[\r\n]/g, ' ')),
);
const oddType = fc.constantFrom('', 'error', 'ping', 'message', 'values', 'messages', 'end', ...loadedNames);

/** Changes to the parts of a reply: the numbers select the changed ones. */
const partChange = fc.record({
  kind: fc.constantFrom('fields', 'fields', 'fields', 'fields', 'remove', 'double', 'swap', 'insert', 'end'),
  place: fc.nat(),
  other: fc.nat(),
  made: changes,
  data: oddData,
  type: oddType,
});
type PartChange = typeof partChange extends fc.Arbitrary<infer Item> ? Item : never;

function changeParts(parts: readonly Part[], change: PartChange): Part[] {
  const { kind, place, other, made, data, type } = change;
  const changed = [...parts];
  const at = place % Math.max(1, parts.length);
  const [part = { type: '', data: '' }, second = part] = [parts[at], parts[other % Math.max(1, parts.length)]];
  if (kind === 'remove') changed.splice(at, 1);
  else if (kind === 'double') changed.splice(other % (parts.length + 1), 0, part);
  else if (kind === 'swap') [changed[at], changed[other % Math.max(1, parts.length)]] = [second, part];
  else if (kind === 'insert') changed.splice(at, 0, { type, data });
  else if (kind === 'end') changed.length = at;
  else changed[at] = { ...part, data: changeFields(part.data, made) };
  return changed;
}

/** Changes the JSON of a part. */
function changeFields(data: string, made: PartChange['made']): string {
  try {
    const tree = JSON.parse(data) as unknown;
    for (const change of made) alter(tree, change);
    return unraw(JSON.stringify(tree));
  } catch {
    return data;
  }
}

const byteChange = fc.record({
  kind: fc.constantFrom('remove', 'insert', 'double', 'replace'),
  at: fc.nat(),
  length: fc.nat({ max: 40 }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('\n', '\r', '\r\n', '\n\n', '"', '\\', '{', '}', 'data:', ':', '\u{feff}', '\0', 'é')
      .map((text) => Buffer.from(text)),
    fc.constantFrom(Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0xed, 0xa0, 0x80), Buffer.of(0xf0, 0x9f)),
  ),
});
type ByteChange = typeof byteChange extends fc.Arbitrary<infer Item> ? Item : never;

function changeBytes(given: Buffer, { kind, at, length, bytes }: ByteChange): Buffer {
  const place = at % (given.length + 1);
  const [before, rest] = [given.subarray(0, place), given.subarray(place)];
  const range = rest.subarray(0, length);
  if (kind === 'remove') return Buffer.concat([before, rest.subarray(length)]);
  if (kind === 'double') return Buffer.concat([before, range, rest]);
  return Buffer.concat([before, bytes, kind === 'insert' ? rest : rest.subarray(bytes.length)]);
}

/** Damage to one reply, in its parts and in its bytes. */
export const mutations = fc.record({
  parts: fc.array(partChange, { maxLength: 3 }),
  bytes: fc.oneof(
    { arbitrary: fc.constant<ByteChange[]>([]), weight: 2 },
    { arbitrary: fc.array(byteChange, { minLength: 1, maxLength: 3 }), weight: 1 },
  ),
});
export type Mutation = typeof mutations extends fc.Arbitrary<infer Item> ? Item : never;

export function mutateParts(parts: readonly Part[], mutation: Mutation): readonly Part[] {
  return mutation.parts.reduce<readonly Part[]>(changeParts, parts);
}

export function mutateBytes(bytes: Buffer, mutation: Mutation): Buffer {
  return mutation.bytes.reduce(changeBytes, bytes);
}

export const writings: fc.Arbitrary<Writing> = fc.record({
  lineEnd: fc.constantFrom('\n', '\n', '\r\n', '\r'),
  hasMark: fc.boolean(),
  hasKeepAlives: fc.boolean(),
  separator: fc.constantFrom(': ', ':'),
});
