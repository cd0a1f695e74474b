/** What an index says of a conversation. */
export interface Scanned {
  /** Of the user. */
  turns: number;
  /** Whether the user says several messages in a row. */
  hasRuns: boolean;
}

/**
 * Counts the turns in a line of the plainest form, as most files have it, without parsing it: that would take thrice as
 * long. `undefined`: the line has another form, or something is wrong with it, which a parser is to say.
 */
export function scanConversation(line: string): Scanned | undefined {
  if (line.length > longest) return undefined;
  head.lastIndex = 0;
  if (!head.test(line)) return undefined;
  const counter = new TurnCounter();
  for (let at = head.lastIndex; ; at = message.lastIndex) {
    message.lastIndex = at;
    if (!message.test(line) || !counter.add(initialOfRole(line, at))) return undefined;
    const behind = line.charCodeAt(message.lastIndex - 1);
    if (behind === closingBracket) break;
  }
  tail.lastIndex = message.lastIndex;
  return tail.test(line) && counter.turns > 0 ? counter : undefined;
}

/** A longer text might be more than the stack of an expression holds. */
const longest = 1024 ** 2;

// Nothing is accepted here that is not JSON, or that `readConversation` refuses; what is refused is looked at again.
const plain = String.raw`[^"\\\u0000-\u001f]*`;
const text = String.raw`${plain}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plain})*`;
const field = String.raw`"(?!messages")\w{1,40}": ?(?:"${plain}"|0|[1-9]\d{0,15}|true|false|null)`;
const head = new RegExp(String.raw`\{(?:${field}, ?)*"messages": ?\[`, 'y');
const tail = new RegExp(String.raw`(?:, ?${field})*\}[ \r]*$`, 'y');
/** Its content begins with something to see. Up to the comma behind it, or the end of all. */
const message = new RegExp(
  String.raw`\{"role": ?"(?:user|assistant|system)", ?"content": ?"(?=[^"\\\u0000-\u0020])${text}"\}(?:, ?(?=\{)|\])`,
  'y',
);

const closingBracket = 0x5d;
const quote = 0x22;

/** The first letter of the role in the message that begins at `start`. */
function initialOfRole(line: string, start: number): string {
  const at = start + '{"role":"'.length;
  return line.charAt(line.charCodeAt(at) === quote ? at + 1 : at);
}

class TurnCounter implements Scanned {
  turns = 0;
  hasRuns = false;
  #before = 's';

  /** `false`: of the system, and does not come first. */
  add(role: string): boolean {
    const isInPlace = role !== 's' || this.#before === 's';
    if (role === 'u' && this.#before === 'u') this.hasRuns = true;
    else if (role === 'u') this.turns += 1;
    this.#before = role;
    return isInPlace;
  }
}
