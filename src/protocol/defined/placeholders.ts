import { unknownName } from '../../base/unknown-name.ts';

/** What a text of a definition may name. */
export interface Ids {
  readonly agentId: string;
  readonly sessionId?: string;
}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** What is wrong with the placeholders of a text; `undefined`: nothing. */
export function placeholderProblem(text: string, known: readonly (keyof Ids)[]): string | undefined {
  const wrong = [...text.matchAll(placeholder)]
    .map(([, name = '']) => name)
    .find((name) => !known.some((each) => each === name));
  return wrong === undefined ? undefined : unknownName('name', wrong, known);
}

/** The text with the ids in it. */
export function fillIds(text: string, ids: Ids, encode: (id: string) => string = (id) => id): string {
  return text.replace(placeholder, (_, name: string) =>
    encode((name === 'agentId' ? ids.agentId : ids.sessionId) ?? ''),
  );
}
