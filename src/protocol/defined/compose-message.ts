import { isObject } from '../../base/is-object.ts';
import { messageOf } from '../../base/errors.ts';
import { sendableText } from '../../base/json.ts';
import type { HeaderFields, ProtocolTarget } from '../protocol.ts';
import { wordKind } from '../word-what-is-there.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import type { MessageParts, ApiDefinition } from './definition.ts';
import { headerProblem, withFields } from './header-fields.ts';
import { fillIds, type Ids } from './placeholders.ts';

/** A message as it is sent. */
interface ComposedMessage {
  path: string;
  headers: HeaderFields;
  body: string;
}

/** Makes requests of turns, for all conversations with a target. Throws `AuthorError`. */
export type ComposeMessage = (parts: MessageParts) => ComposedMessage;

export function messageComposer(
  { message }: Pick<ApiDefinition, 'message'>,
  target: ProtocolTarget,
  usual: HeaderFields,
): ComposeMessage {
  const place = target.messagesPath ?? message.path;
  const { headers: own = {}, body } = message;
  const fixed = typeof own === 'function' || hasPlaceholder(own) ? undefined : withFields(usual, own);
  return (parts) => ({
    path:
      typeof place === 'string' ? fillPath(place, parts) : checkPath(callAuthor('message.path', () => place(parts))),
    headers: fixed ?? withFields(usual, headersOf(own, parts)),
    body:
      body === undefined
        ? ''
        : bodyText(
            'message.body',
            callAuthor('message.body', () => body(parts)),
            target.messageBody,
          ),
  });
}

const hasPlaceholder = (fields: HeaderFields): boolean => Object.values(fields).some((value) => value.includes('{{'));

function checkPath(path: unknown): string {
  if (typeof path === 'string' && path.startsWith('/')) return path;
  throw new AuthorError('message.path', 'returned a value that is not text that begins with /');
}

function headersOf(own: HeaderFields | ((parts: MessageParts) => HeaderFields), parts: MessageParts): HeaderFields {
  const made =
    typeof own === 'function'
      ? callAuthor('message.headers', () => own(parts))
      : Object.fromEntries(Object.entries(own).map(([name, value]) => [name, fillIds(value, parts)]));
  const problem = headerProblem(made);
  if (problem !== undefined) throw new AuthorError('message.headers', problem);
  return made;
}

/** A path with ids in it, encoded. */
export function fillPath(path: string, ids: Ids): string {
  return path.includes('{{') ? fillIds(path, ids, encodeURIComponent) : path;
}

/** What a function gave, as the text that is sent; `more` are fields of the scenario, over those. */
export function bodyText(name: string, made: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  if (typeof made === 'string') return made;
  const text = jsonOf(name, isObject(made) ? { ...made, ...more } : made);
  if (text !== undefined) return text;
  throw new AuthorError(
    name,
    made === undefined ? nothing : `gave what is ${wordKind(made)}, which JSON has no form for`,
  );
}

const nothing = 'gave nothing to send: an arrow function that gives an object needs parentheses around it';

function jsonOf(name: string, made: unknown): string | undefined {
  try {
    return sendableText(made);
  } catch (thrown) {
    throw new AuthorError(name, `gave what cannot be sent: ${messageOf(thrown)}`);
  }
}
