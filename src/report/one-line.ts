/** A text from outside as one line without control characters, which could move the cursor or change colours. */
export const oneLine = (text: string): string => {
  const line = text.replace(/\p{C}+/gu, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
};
