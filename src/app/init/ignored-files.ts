/** Lines of a `.gitignore` for load tests, by what they ignore. The baseline of comparisons stays in the repository. */
const ignored: Readonly<Record<string, readonly string[]>> = {
  Packages: ['node_modules/'],
  'Results, journals and reports, except the baseline of nightly': ['results/*', '!results/baseline/', 'reports/'],
  Keys: ['.env'],
  'Indexes of conversations and traces': ['*.chat-load-*'],
};

/** Text of the `.gitignore` of a new project. */
export const ignoreText = Object.entries(ignored)
  .map(([meaning, lines]) => `# ${meaning}\n${lines.join('\n')}\n`)
  .join('');

/** Returns the lines that an existing `.gitignore` lacks; other spellings of a folder (`/results`) count. */
export function missingIgnores(present: string): string[] {
  const plain = (line: string): string =>
    line
      .trim()
      .replace(/^\//, '')
      .replace(/\/?\*{0,2}$/, '');
  const known = new Set(present.split('\n').map(plain));
  return Object.values(ignored)
    .flat()
    .filter((line) => !known.has(plain(line)));
}
