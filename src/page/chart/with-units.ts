/** Keeps a value next to its unit and its operator, and the parts of a duration together. */
export function withUnits(text: string): string {
  return text.replaceAll(
    /(?<=\d) (?=(?:%|[mµ]?s|pp|[kMG]?B|h)(?![\w/]))|(?<=\d[hm]) (?=\d)|(?<=[<>]=?) (?=\d)/g,
    '\u00a0',
  );
}
