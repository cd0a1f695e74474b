import { nameOrLength } from '../base/excerpt.ts';
import { sendableText } from '../base/json.ts';
import { valueAt } from '../base/is-object.ts';
import { readPlaceholder, type KnownNames, type Placeholder } from './placeholder.ts';

/** Scope of a rendered template: one session at one turn. */
export interface TemplateScope {
  readonly session: { readonly number: number };
  readonly turn: { readonly number: number };
  readonly variables: Readonly<Record<string, unknown>>;
  /** Draws from [0, 1); the stream belongs to the template that is being rendered. */
  random(): number;
  pick(list: string): unknown;
}

/** A compiled template. A template that consists of one placeholder renders to its value with its type, otherwise to text. */
export interface Template {
  render(scope: TemplateScope): unknown;
  /** True if it uses the turn's number, so that it has to be rendered for every turn. */
  readonly usesTurn: boolean;
  /** The text if it has no placeholders: the same for all. */
  readonly constant: string | undefined;
  /** Variables used in it. */
  readonly variables: readonly string[];
}

/** Compiles a template, or returns all its problems. `\{{` writes a literal `{{`. */
export function compileTemplate(text: string, known: KnownNames): Template | { problems: string[] } {
  const { parts, problems } = split(text, known);
  if (problems.length > 0) return { problems };
  const placeholders = parts.filter((part) => typeof part !== 'string');
  return {
    render: rendererOf(parts),
    constant: placeholders.length === 0 ? parts.filter((part) => typeof part === 'string').join('') : undefined,
    usesTurn: placeholders.some((part) => part.kind === 'turn.number'),
    variables: placeholders.flatMap((part) => (part.kind === 'variable' ? [part.path[0] ?? ''] : [])),
  };
}

type Part = string | Placeholder;

const opening = /(\\?)\{\{/g;

/** More problems only occur in text that is not a template. */
const maxProblems = 10;

function split(text: string, known: KnownNames): { parts: Part[]; problems: string[] } {
  const parts: Part[] = [];
  const problems: string[] = [];
  let literal = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null && problems.length < maxProblems; match = opening.exec(text)) {
    literal += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (match[1] === '\\') {
      literal += '{{';
      continue;
    }
    const end = text.indexOf('}}', from);
    if (end === -1)
      return { parts, problems: [...problems, `'{{' at character ${String(match.index + 1)} is never closed`] };
    const read = readPlaceholder(text.slice(from, end), known);
    if ('problem' in read) problems.push(`{{${nameOrLength(text.slice(from, end), 100)}}}: ${read.problem}`);
    else {
      if (literal !== '') parts.push(literal);
      parts.push(read);
      literal = '';
    }
    from = opening.lastIndex = end + 2;
  }
  literal += text.slice(from);
  if (literal !== '') parts.push(literal);
  return { parts, problems };
}

function rendererOf(parts: readonly Part[]): (scope: TemplateScope) => unknown {
  const [first = ''] = parts;
  if (parts.length <= 1) return typeof first === 'string' ? () => first : (scope) => valueOf(first, scope);
  return (scope) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : textOf(valueOf(part, scope));
    return text;
  };
}

function valueOf(placeholder: Placeholder, scope: TemplateScope): unknown {
  switch (placeholder.kind) {
    case 'session.number':
      return scope.session.number;
    case 'turn.number':
      return scope.turn.number;
    case 'pick':
      return valueAt(scope.pick(placeholder.list), placeholder.path);
    case 'int':
      return placeholder.min + Math.floor(scope.random() * (placeholder.max - placeholder.min + 1));
    case 'digits':
      return drawDigits(placeholder.count, scope);
    case 'uuid':
      return drawUuid(scope);
    case 'variable':
      return valueAt(scope.variables, placeholder.path);
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (sendableText(value) ?? ''));

function drawDigits(count: number, scope: TemplateScope): string {
  let digits = '';
  for (let i = 0; i < count; i++) digits += String(Math.floor(scope.random() * 10));
  return digits;
}

/** A version 4 UUID (RFC 9562) from the seeded stream, so that it is the same in every run. */
function drawUuid(scope: TemplateScope): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (mark) => {
    const drawn = Math.floor(scope.random() * 16);
    return (mark === 'x' ? drawn : 8 + (drawn % 4)).toString(16);
  });
}
