/** An agent's instructions with the values of one message. */
export interface Briefing {
  /** Returns the text; a variable without a value is `(unknown)`. */
  write(): string;
  /** Variables with a value, in order of appearance. */
  facts: readonly Fact[];
  /** Names of variables without a value. */
  missing: readonly string[];
}

export interface Fact {
  name: string;
  value: string;
}

export type VariableValues = Readonly<Record<string, unknown>>;

/** Compiles instructions once; the returned function fills in the `{{name}}` of one message's values. */
export function compileInstructions(instructions: string): (values: VariableValues) => Briefing {
  // Odd parts are names, because `split` keeps captured groups.
  const parts = instructions.split(/\{\{\s*([\w.-]{1,200})\s*\}\}/);
  const names = [...new Set(parts.filter((_, index) => index % 2 === 1))];
  return (values) => {
    const facts: Fact[] = [];
    const missing: string[] = [];
    for (const name of names) {
      const value = valueOf(values, name);
      if (value === undefined) missing.push(name);
      else facts.push({ name, value });
    }
    return { write: () => fill(parts, values), facts, missing };
  };
}

/** Reads instructions of a request. Lines `name: value` define the values; remaining `{{name}}` are missing. */
export function briefingIn(instructions: string): Briefing {
  const facts = [...instructions.matchAll(/^[ \t]*([\w.-]{1,200}):[ \t]*(\S.*?)\s*$/gm)].map(
    ([, name = '', value = '']) => ({ name, value }),
  );
  const { missing } = compileInstructions(instructions)({});
  return { write: () => instructions, facts, missing };
}

const fill = (parts: readonly string[], values: VariableValues): string =>
  parts.map((part, index) => (index % 2 === 0 ? part : (valueOf(values, part) ?? '(unknown)'))).join('');

/** Returns a value as text. `null` and the empty string count as missing, so the agent has to ask; inherited properties do too. */
function valueOf(values: VariableValues, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
