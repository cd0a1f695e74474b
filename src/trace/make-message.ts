import { keyOf, randomOf, type Random } from '../base/random.ts';

/** Number of words per token, as in typical tokenizers for English. */
const wordsPerToken = 0.75;
/** Length of a message if the trace does not contain it. */
const usualTokens = 24;

/** Generates a text with 0.75 words per token of a recorded message; equal draws yield equal texts. */
export function makeMessage(tokens: number | null | undefined, random: Random): string {
  return makeText(Math.max(1, Math.round((tokens ?? usualTokens) * wordsPerToken)), random);
}

/** Generates a text with this number of words, or of units if the words of the vocabulary have weights. */
export function makeText(units: number, random: Random, weights?: WordWeights): string {
  made ??= makeWords();
  const { text, starts } = made;
  let from = Math.floor(random() * manyWords);
  let message = '';
  for (let left = weights === undefined ? units : wordsFor(units, { from, weights }, made); left > 0;) {
    const to = Math.min(from + left, manyWords);
    message += `${message === '' ? '' : ' '}${text.slice(starts[from], (starts[to] ?? text.length) - 1)}`;
    left -= to - from;
    from = 0;
  }
  return message;
}

/** Weights of the vocabulary, by `weighWords`. */
export type WordWeights = readonly number[];

/** Weighs every word of the generated texts, for example by its number of tokens. */
export function weighWords(weigh: (word: string) => number): WordWeights {
  return vocabulary.map(weigh);
}

/** Returns the number of words from a position that together weigh at least `units`. */
function wordsFor(
  units: number,
  { from, weights }: { from: number; weights: WordWeights },
  { words }: MadeText,
): number {
  let count = 0;
  for (let weight = 0; weight < units; count++) weight += weights[words[(from + count) % manyWords] ?? 0] ?? 1;
  return count;
}

interface MadeText {
  text: string;
  /** Words of the message, as positions in the vocabulary. */
  words: Uint16Array;
  /** Start position of each word. */
  starts: Uint32Array;
}

/** Length of the text from which messages are cut, so that a long one costs no more than a short one. */
const manyWords = 65_536;
let made: MadeText | undefined;

function makeWords(): MadeText {
  const random = randomOf(keyOf('made messages'));
  const starts = new Uint32Array(manyWords + 1);
  const words = new Uint16Array(manyWords);
  const parts: string[] = [];
  let length = 0;
  for (let word = 0; word < manyWords; word++) {
    const place = Math.floor(random() * vocabulary.length);
    const next = vocabulary[place] ?? 'the';
    words[word] = place;
    starts[word] = length;
    parts.push(next);
    length += next.length + 1;
  }
  starts[manyWords] = length;
  return { text: parts.join(' '), words, starts };
}

const vocabulary = (
  'the of and to a in is it you that he was for on are with as his they be at one have this from or had by hot but ' +
  'some what there we can out other were all your when up use word how said an each she which do their time if will ' +
  'way about many then them would write like so these her long make thing see him two has look more day could go come ' +
  'did my sound no most number who over know water than call first people may down side been now find any new work ' +
  'part take get place made live where after back little only round man year came show every good me give our under ' +
  'name very through just form much great think say help low line before turn cause same mean differ move right boy ' +
  'old too does tell sentence set three want air well also play small end put home read hand port large spell add ' +
  'order invoice delivery account address parcel refund return price payment card email password number status today'
).split(' ');
