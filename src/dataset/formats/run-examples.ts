import { isObject } from '../../base/is-object.ts';
import type { DatasetFormat, Fields, RawConversation, RawMessage, Reading, RecordReader } from './format.ts';
import { isListOf } from './read-messages.ts';

/**
 * Results and journals of runs with `keepTexts`, which contain the texts of the first failed attempts of each class. The
 * turns of a session form a conversation.
 */
export const runExamples: DatasetFormat = {
  shape:
    '{"kind": "chat-load/result", "examples": [{"session", "turn", "texts": {"message", "reply"}}]}, or a journal (.ndjson)',
  fields: ['kind', 'examples', 'sum', 'entry'],
  fit: (record) => {
    const document = entryOf(record);
    const { kind } = document;
    return kind === 'chat-load/result' || (document !== record && typeof kind === 'string') ? 'certain' : 'no';
  },
  open: () => new ExampleReader(),
};

/** A line of a journal is a checksum and an entry. */
const entryOf = (record: Fields): Fields =>
  typeof record['sum'] === 'string' && isObject(record['entry']) ? record['entry'] : record;

class ExampleReader implements RecordReader {
  readonly #sessions = new Map<string, { place: number; turns: Map<number, Texts> }>();
  #place = 1;
  #seen = 0;

  read(record: Fields, place: number): readonly Reading[] {
    this.#place = place;
    for (const example of examplesOf(entryOf(record))) this.#add(example, place);
    return [];
  }

  end(): readonly Reading[] {
    if (this.#sessions.size > 0)
      return [...this.#sessions].map(([id, { place, turns }]) => ({ place, conversation: conversationOf(id, turns) }));
    const detail =
      this.#seen === 0
        ? 'the run kept no example: every attempt was ok'
        : 'its examples have no texts: set keepTexts in the scenario';
    return [{ place: this.#place, problem: 'noUserMessage', detail }];
  }

  #add({ session, turn, texts }: Fields, place: number): void {
    this.#seen++;
    if (typeof session !== 'number' || typeof turn !== 'number' || !isTexts(texts)) return;
    const id = `session-${String(session)}`;
    const kept = this.#sessions.get(id) ?? { place, turns: new Map<number, Texts>() };
    // The last attempt of a turn wins.
    kept.turns.set(turn, texts);
    this.#sessions.set(id, kept);
  }
}

interface Texts {
  message: string;
  reply: string;
}

const isTexts = (texts: unknown): texts is Texts =>
  isObject(texts) && typeof texts['message'] === 'string' && typeof texts['reply'] === 'string';

function examplesOf(document: Fields): readonly Fields[] {
  const { piece } = document;
  const examples = isObject(piece) ? piece['examples'] : document['examples'];
  return isListOf(examples) ? examples : [];
}

const conversationOf = (id: string, turns: ReadonlyMap<number, Texts>): RawConversation => ({
  id,
  messages: [...turns]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, { message, reply }]): RawMessage[] => [
      { role: 'user', text: message },
      { role: 'assistant', text: reply },
    ]),
});
