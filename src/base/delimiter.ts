/** Returns the delimiter of a table by its first line: a comma, unless a semicolon or a tab splits it into more cells. */
export function delimiterOf(line: string): string {
  const cells = (delimiter: string): number => line.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, each) => (cells(each) > cells(best) ? each : best));
}
