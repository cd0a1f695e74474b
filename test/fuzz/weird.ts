import fc from 'fast-check';
import { pollution } from './fuzz.ts';

/** Names that mean something to JavaScript itself. */
export const loadedNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'then'];

/** Texts that break what reads texts. */
export const weirdText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(...loadedNames),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\u001b[2J',
    '\u202e',
    '\ud800',
    '{{',
    '}}',
    '{{{{',
    '\\{{',
    '%00',
    '-0',
    '1e999',
    'NaN',
  ),
  fc
    .constantFrom('a', ' ', '{', '{{x}}', '9', '\ud83d')
    .chain((unit) => fc.constantFrom(200, 20_000).map((times) => unit.repeat(times))),
);

const nested = (depth: number): unknown => {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
};

const cyclic = (): unknown => {
  const value: Record<string, unknown> = { list: [] };
  value['self'] = value;
  (value['list'] as unknown[]).push(value);
  return value;
};

const throwing = (): never => {
  throw Object.create(null);
};

const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
};

/** Made again each time, because readers may freeze them. */
const makers: readonly (() => unknown)[] = [
  cyclic,
  revoked,
  () => nested(500),
  () => nested(20_000),
  () => new Array<unknown>(4_000_000_000),
  () => new Array<unknown>(100_000).fill('x'),
  () => ({
    get broken(): never {
      return throwing();
    },
  }),
  () => new Proxy({}, { ownKeys: throwing, get: throwing, has: throwing, getPrototypeOf: throwing }),
  () => ({ toJSON: throwing }),
  () => ({ toString: throwing, valueOf: throwing }),
  () =>
    JSON.parse(
      `{"__proto__":${JSON.stringify(pollution)},"constructor":{"prototype":${JSON.stringify(pollution)}}}`,
    ) as unknown,
  () => throwing,
  () => cyclic,
  () => () => 10n,
  () => () => undefined,
  () => () => Symbol('s'),
  () => () => ({ then: throwing }),
  () => (context: { variables: Record<string, unknown> }) => context.variables,
  () => Date,
  () => new Date(NaN),
  () => Object.create(null) as unknown,
  () => [undefined, null, NaN, Infinity, -0, 10n, Symbol('s')],
];

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  key: weirdText,
  maxDepth: 3,
});

/** Any value that JavaScript has, the nasty ones often. A function, since a value may be used up. */
export const weirdValue: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.constantFrom(...makers),
  anything.map((value) => () => value),
  weirdText.map((value) => () => value),
  fc.oneof(fc.double(), fc.integer(), fc.constantFrom(1e308, -1, 2 ** 53, 4_294_967_296)).map((value) => () => value),
);

/** Values that the command line parses from arguments: texts, numbers, lists of them, and objects for flags with dots. */
export const flagValue = fc.oneof(
  weirdText,
  fc.double(),
  fc.boolean(),
  fc.jsonValue(),
  fc.array(weirdText, { maxLength: 3 }),
);
