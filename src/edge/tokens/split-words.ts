import { ChatLoadError } from '../../base/errors.ts';

/**
 * The words of a command line, as a shell would see them, but that nothing in them is expanded: quotes keep a word
 * together, and a backslash takes the next character as it is: between double quotes where that means something there,
 * between single quotes never. Throws a usage error for
 * a quote that is never closed, or no word at all.
 */
export function splitWords(line: string): [program: string, ...words: string[]] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const letter = line.charAt(at);
    const escapes = letter === '\\' && quote !== "'" && (quote === '' || '"\\$`'.includes(line.charAt(at + 1)));
    if (escapes) word = (word ?? '') + line.charAt(++at);
    else if (quote === letter) quote = '';
    else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter;
      word ??= '';
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + letter;
  }
  if (quote !== '') throw refusal(`has a quote that is never closed (${quote})`);
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === '') throw refusal('names no program');
  return [program, ...rest];
}

const refusal = (fault: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `The token command ${fault}.`,
    hint: "Nothing was sent. It is run without a shell: --token-command 'gcloud auth print-access-token'. What needs a shell: 'sh -c \"...\"'.",
  });
