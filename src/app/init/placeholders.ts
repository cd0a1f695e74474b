/**
 * Reports whether a text stands for a value that the reader has to fill in, as in documentation: `<API Key>`, `{api_key}`,
 * `YOUR_API_KEY`, `sk-...`, `xxx`.
 */
export function isPlaceholder(text: string): boolean {
  const plain = text.trim();
  if (plain.length > 100) return false;
  if (isMarked(plain) || /^(?:[a-z]{2,5}[-_])?(?:\.{3,}|…)$/i.test(plain)) return true;
  const words = plain.toLowerCase().split(/[\s_-]+/);
  if (/^(?:x{3,}|\*{3,})$/.test(words.at(-1) ?? '')) return true;
  return commonNames.includes(words.join('')) || isInvitation(words);
}

/** Reports whether brackets or words show that a text is a placeholder, whatever its field is. */
export function isMarked(text: string): boolean {
  return (
    /^(?:<[^<>]+>|\{[^{}":]+\}|\[[A-Z][A-Z _-]+\]|%[A-Z_]+%)$/i.test(text) ||
    /^\{\{[^{}]+\}\}$/.test(text) ||
    (text.length <= 100 && isInvitation(text.toLowerCase().split(/[\s_-]+/)))
  );
}

const commonNames = [
  'apikey',
  'token',
  'apitoken',
  'accesstoken',
  'authtoken',
  'bearertoken',
  'secretkey',
  'replaceme',
];

/** Reports whether words ask for a value: `your api key`, `insert token here`. */
const isInvitation = (words: readonly string[]): boolean =>
  words.length > 1 &&
  words.every((word) => /^[a-z\d]+$/.test(word)) &&
  words.some((word) => /^(?:your|insert|enter|paste|replace)$/.test(word)) &&
  words.some((word) => /^(?:api|key|apikey|token|secret|password|id|user|username|name|email|here|\w*key)$/.test(word));
