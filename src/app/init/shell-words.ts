import { unescapeAnsi, unescapeDouble } from './shell-quotes.ts';

/** A simple command of a shell. */
export interface ShellCommand {
  readonly words: string[];
  /** Text of its standard input: a here-document, or what `echo` or `cat` writes; `undefined`: none or unknown. */
  input: string | undefined;
  /** Name of the variable that takes its output, as in `ID=$(curl ...)`. */
  readonly assigned: string | undefined;
  /** True if a quote or a backslash never ends. */
  isUnclosed: boolean;
}

/** Splits a text into its commands as a shell does. Nothing is executed or expanded; redirections are left out. */
export function shellCommands(source: string): ShellCommand[] {
  return new ShellReader(source.replaceAll('\r\n', '\n')).read();
}

interface HereDocument {
  end: string;
  isIndented: boolean;
  isLiteral: boolean;
  command: ShellCommand;
}

/** Constructs outside of quotes, each at the position that is read. */
const constructs = {
  continuation: /[\\`][ \t]*\n/y,
  comment: /#[^\n]*/y,
  single: /'([^']*)'/y,
  ansi: /\$'([^'\\]*(?:\\[^][^'\\]*)*)'/y,
  double: /\$?"([^"\\]*(?:\\[^][^"\\]*)*)"/y,
  capture: /"?\$\(\s*(?=(?:\S*\/)?curl\s)/y,
  substitution: /\$\([^()]*\)/y,
  placeholder: /<[A-Za-z][\w-]*>/y,
  hereString: /<<<[ \t]*/y,
  hereDocument: /<<(-?)[ \t]*(['"]?)([\w.-]+)\2/y,
  redirection: /(?:&>>?|<>?|>>?)(?:&[\d-])?[ \t]*/y,
  operator: /\|\||&&|;+|\|&?|&/y,
  escaped: /\\([^])/y,
  plain: /[\w./:=@%+,{}-]+/y,
} as const;

class ShellReader {
  readonly #source: string;
  readonly #commands: ShellCommand[] = [];
  #at = 0;
  #word: string | undefined;
  #command: ShellCommand = { words: [], input: undefined, assigned: undefined, isUnclosed: false };
  /** Commands that read the output of others. */
  readonly #pipes: { reader: ShellCommand; writer: ShellCommand }[] = [];
  /** Use of the next word that is no argument. */
  #next: 'argument' | 'target' | 'input' = 'argument';
  #documents: HereDocument[] = [];
  /** Open `$(`: true for one in double quotes. */
  readonly #captures: boolean[] = [];
  #isContinued = false;

  constructor(source: string) {
    this.#source = source;
  }

  read(): ShellCommand[] {
    while (this.#at < this.#source.length) this.#step();
    this.#endCommand();
    for (const { reader, writer } of this.#pipes) reader.input ??= outputOf(writer);
    return this.#commands;
  }

  #match(name: keyof typeof constructs): RegExpExecArray | undefined {
    const construct = constructs[name];
    construct.lastIndex = this.#at;
    const found = construct.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  #step(): void {
    if (this.#match('continuation') !== undefined) {
      this.#isContinued = true;
      return;
    }
    if (this.#word === undefined && this.#match('comment') !== undefined) {
      // A comment between continued lines.
      if (this.#isContinued && this.#source[this.#at] === '\n') this.#at++;
      return;
    }
    if (this.#space()) return;
    this.#isContinued = false;
    const placeholder = this.#match('placeholder');
    if (placeholder !== undefined) this.#append(placeholder[0]);
    else if (!this.#redirection() && !this.#operator()) this.#append(this.#text());
  }

  /** Ends a word or a command at white space. */
  #space(): boolean {
    const char = this.#source[this.#at] ?? '';
    if (!/\s/.test(char)) return false;
    this.#at++;
    this.#endWord();
    // A line that begins with an option belongs to the command before it.
    const isOption = /^\s*-[\w-]/.test(this.#source.slice(this.#at, this.#at + 100));
    if (char === '\n') this.#isContinued = false;
    if (char === '\n' && (this.#documents.length > 0 || !isOption)) {
      this.#endCommand();
      this.#readDocuments();
    }
    return true;
  }

  #redirection(): boolean {
    if (this.#word !== undefined && !/^\d$/.test(this.#word)) return false;
    if (this.#match('hereString') !== undefined) {
      this.#next = 'input';
      return true;
    }
    const document = this.#match('hereDocument');
    if (document !== undefined) {
      const [, dash, quote, end = ''] = document;
      this.#documents.push({ end, isIndented: dash !== '', isLiteral: quote !== '', command: this.#command });
      return true;
    }
    const redirection = this.#match('redirection');
    if (redirection === undefined) return false;
    this.#word = undefined;
    if (!redirection[0].includes('&', 1)) this.#next = 'target';
    return true;
  }

  #operator(): boolean {
    const { length } = this.#captures;
    if (length > 0 && this.#source[this.#at] === ')') {
      this.#at++;
      this.#endCommand();
      if (this.#captures.pop() === true && this.#source[this.#at] === '"') this.#at++;
      return true;
    }
    const isCapture = this.#word === undefined || this.#word.endsWith('=');
    const capture = isCapture ? this.#match('capture') : undefined;
    if (capture !== undefined) {
      const name = this.#word?.slice(0, -1);
      this.#word = undefined;
      this.#endCommand(name);
      this.#captures.push(capture[0].startsWith('"'));
      return true;
    }
    // Parameters of a URL without quotes.
    const isParameter = this.#word !== undefined && /^&[\w%-]+=/.test(this.#source.slice(this.#at, this.#at + 100));
    const operator = isParameter ? undefined : this.#match('operator');
    if (operator === undefined) return false;
    const writer = this.#command;
    this.#endCommand();
    if (/^\|&?$/.test(operator[0])) this.#pipes.push({ reader: this.#command, writer });
    return true;
  }

  /** Reads a quoted or plain part of a word. */
  #text(): string {
    const ansi = this.#match('ansi');
    if (ansi !== undefined) return unescapeAnsi(ansi[1] ?? '');
    const double = this.#match('double');
    if (double !== undefined) return unescapeDouble(double[1] ?? '');
    const literal = this.#match('single') ?? this.#match('escaped');
    if (literal !== undefined) return literal[1] ?? '';
    const plain = this.#match('substitution') ?? this.#match('plain');
    if (plain !== undefined) return plain[0];
    const char = this.#source[this.#at++] ?? '';
    if (/['"\\]/.test(char)) this.#command.isUnclosed = true;
    return char;
  }

  #append(text: string): void {
    this.#word = (this.#word ?? '') + text;
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    if (this.#next === 'argument') this.#command.words.push(this.#word);
    if (this.#next === 'input') this.#command.input = this.#word;
    this.#next = 'argument';
    this.#word = undefined;
  }

  #endCommand(assigned?: string): void {
    this.#endWord();
    this.#next = 'argument';
    if (this.#command.words.length > 0) this.#commands.push(this.#command);
    this.#command = { words: [], input: undefined, assigned, isUnclosed: false };
  }

  #readDocuments(): void {
    for (const { end, isIndented, isLiteral, command } of this.#documents) {
      const lines: string[] = [];
      while (this.#at < this.#source.length) {
        const line = this.#line();
        if ((isIndented ? line.trimStart() : line) === end) break;
        lines.push(isIndented ? line.replace(/^\t+/, '') : line);
      }
      const text = lines.join('\n');
      command.input = isLiteral ? text : text.replaceAll(/\\([$`\\])/g, '$1');
    }
    this.#documents = [];
  }

  #line(): string {
    const end = this.#source.indexOf('\n', this.#at);
    const line = this.#source.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#source.length : end + 1;
    return line;
  }
}

/** Returns what a command writes, for the commands that only repeat a text. */
function outputOf({ words: [name, ...others], input }: ShellCommand): string | undefined {
  if (name === 'cat') return input;
  if (name === 'printf') return others.at(-1);
  return name === 'echo' ? others.filter((word) => !/^-[neE]+$/.test(word)).join(' ') : undefined;
}
