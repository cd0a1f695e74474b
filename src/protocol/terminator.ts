/** Recognizes the terminator of a stream, `[DONE]`; some services put spaces or quotation marks around it. */
export function isTerminator(text: string): boolean {
  return text === '[DONE]' || (text.length <= maxLength && /^\s*"?\s*\[DONE\]\s*"?\s*$/.test(text));
}

/** Length of the terminator with a few spaces. */
const maxLength = 16;
