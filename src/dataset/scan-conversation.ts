/** Facts about a conversation for an index. */
export interface Scanned {
  /** Number of user turns. */
  turns: number;
  /** True if there are consecutive user messages. */
  hasRuns: boolean;
}

/**
 * Counts the turns in a line of the simplest form, which most files have, without parsing it: a parser takes three times as
 * long. `undefined`: the line has another form or a problem, which a parser must report.
 */
export function scanConversation(line: string): Scanned | undefined {
  if (line.length > maxLength) return undefined;
  head.lastIndex = 0;
  if (!head.test(line)) return undefined;
  let [turns, hasRuns, before] = [0, false, 's'];
  for (let at = head.lastIndex; ; at = message.lastIndex) {
    message.lastIndex = at;
    if (!message.test(line)) return undefined;
    const role = initialOfRole(line, at);
    // A system message after other messages is malformed.
    if (role === 's' && before !== 's') return undefined;
    if (role === 'u' && before === 'u') hasRuns = true;
    else if (role === 'u') turns += 1;
    before = role;
    if (line.charCodeAt(message.lastIndex - 1) === closingBracket) break;
  }
  tail.lastIndex = message.lastIndex;
  return tail.test(line) && turns > 0 ? { turns, hasRuns } : undefined;
}

/** A longer text might overflow the stack of a regular expression. */
const maxLength = 1024 ** 2;

// Accepts only JSON that `readConversation` accepts; a parser examines everything else.
const plain = String.raw`[^"\\\u0000-\u001f]*`;
const text = String.raw`${plain}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plain})*`;
const field = String.raw`"(?!messages")\w{1,40}": ?(?:"${plain}"|0|[1-9]\d{0,15}|true|false|null)`;
const head = new RegExp(String.raw`\{(?:${field}, ?)*"messages": ?\[`, 'y');
const tail = new RegExp(String.raw`(?:, ?${field})*\}[ \r]*$`, 'y');
/** A message whose content begins with a visible character, up to the next comma or the end of the list. */
const message = new RegExp(
  String.raw`\{"role": ?"(?:user|assistant|system)", ?"content": ?"(?=[^"\\\u0000-\u0020])${text}"\}(?:, ?(?=\{)|\])`,
  'y',
);

const closingBracket = 0x5d;
const quote = 0x22;

/** Returns the first letter of the role of the message that begins at `start`. */
function initialOfRole(line: string, start: number): string {
  const at = start + '{"role":"'.length;
  return line.charAt(line.charCodeAt(at) === quote ? at + 1 : at);
}
