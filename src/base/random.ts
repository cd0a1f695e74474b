import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Draws from [0, 1), 53 bits each. */
export type Random = () => number;

/**
 * Returns the stream of draws of a key, which is the same on any machine. For fixed other parts,
 * different whole numbers below 2^32 in the last part always give different streams.
 */
export function randomOf(...key: readonly number[]): Random {
  const generator = xoroshiro128plus(hashOf(key));
  return () => uniformFloat64(generator);
}

/** Returns a signed 32-bit number for a key; for fixed other parts, no two last parts below 2^32 have the same number. */
export function hashOf(key: readonly number[]): number {
  let hash = 0;
  for (const part of key) hash = mix(hash ^ mix(Math.floor(part / 2 ** 32) + 1) ^ (part | 0));
  return hash;
}

/** Returns a 32-bit number for a text, as a part of a key (FNV-1a). */
export function keyOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Applies the finalizer of MurmurHash3: a bijection on 32 bits in which every input bit moves every output bit. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
