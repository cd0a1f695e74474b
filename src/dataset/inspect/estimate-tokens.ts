const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Characters of other scripts to a token, as tokenizers of English text have them. */
const charactersPerToken = 4;

/** About how many tokens a text has, without a tokenizer: one for a Chinese, Japanese or Korean character, one for four others. */
export function estimateTokens(text: string): number {
  const characters = text.match(wide)?.length ?? 0;
  return Math.ceil(characters + (text.length - characters) / charactersPerToken);
}
