import { isObject } from '../../base/is-object.ts';
import { broken, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import { Notes } from '../notes.ts';
import type { EventContent, Verdict } from '../protocol.ts';
import { artifactsText, isFinal, judgeSeen, seenMessage, statusOf, textOfTask, type Seen } from './judge-task.ts';
import { idIn, resultIn, textIn, type Result } from './read-result.ts';

/** Reads the events of one streamed message: a message, or a task with updates of its status and its artifacts. */
export class TaskReader implements EventReader {
  readonly end = 'a final state of the task';
  readonly replyText = new ReplyText();
  readonly notes = new Notes();
  hasEnded = false;
  /** True after a part that is not appended: the same event again would replace it. */
  isSingular = true;
  #hasBegun = false;
  #seen: Seen = { contextId: undefined, taskId: undefined, state: undefined, messageId: undefined, text: '' };
  #artifactId: unknown;
  /** Length of the text before the current artifact. */
  #artifactStart = 0;
  /** Texts of the messages of the working task: its progress, or its only texts. */
  #progress = '';

  take(event: Fields): EventContent | Verdict {
    const result = resultIn(event, this.notes);
    if (result === undefined) {
      this.notes.add('other_event', 'an event without a result');
      return 'other';
    }
    const contextId = idIn(result.fields, 'contextId');
    const isOther = isText(contextId) && isText(this.#seen.contextId) && contextId !== this.#seen.contextId;
    return isOther ? broken('an event of another context') : this.#takeResult(result);
  }

  repeat(event: RepeatedEvent): EventContent {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(): Judged {
    return judgeSeen({ ...this.#seen, text: this.replyText.text }, this.notes);
  }

  spent(): undefined {
    return undefined;
  }

  #takeResult({ kind, fields }: Result): EventContent | Verdict {
    if (!this.#hasBegun && kind !== 'task' && kind !== 'message') this.notes.add('no_start', `${kind} first`);
    const isFirst = !this.#hasBegun;
    this.#hasBegun = true;
    if (kind === 'message') return this.#takeMessage(fields);
    if (kind === 'artifactUpdate') return this.#takeArtifact(fields);
    if (kind === 'statusUpdate') return this.#takeStatus(fields);
    return this.#takeStatus({ ...fields, taskId: fields['id'] }, isFirst);
  }

  #takeMessage(message: Fields): EventContent {
    this.#seen = seenMessage(message, this.notes);
    this.hasEnded = true;
    return this.#add(this.#seen.text);
  }

  /** The message of a status is the reply only if it is final and there is no artifact: otherwise it reports progress. */
  #takeStatus(fields: Fields, isFirst = false): EventContent {
    const { state, messageId, statusText } = statusOf(fields['status'], this.notes);
    const { contextId = this.#seen.contextId, taskId = this.#seen.taskId } = {
      contextId: idIn(fields, 'contextId'),
      taskId: idIn(fields, 'taskId'),
    };
    const isEnd = isFinal(state);
    const isEnded = !isEnd && fields['final'] === true;
    this.#seen = { contextId, taskId, state, messageId, text: '', isEnded };
    if (!isEnd && !isEnded) {
      this.#progress = joined(this.#progress, statusText);
      return 'other';
    }
    this.hasEnded = true;
    if (isEnded) this.notes.add('no_finish', `final in the state ${String(state)}`);
    return this.replyText.text === '' ? this.#addRest(fields, statusText, isFirst) : this.#addArtifacts(fields);
  }

  /** Adds the text of a reply without an earlier artifact. */
  #addRest(task: Fields, statusText: string, isFirst: boolean): EventContent {
    const text = textOfTask(task, statusText, this.notes);
    if (text !== '' && text !== statusText && !isFirst) this.notes.add('late_text', 'in the last task');
    if (text !== '' || this.#progress === '') return this.#add(text);
    this.notes.add('text_in_progress', 'in the messages of a working task');
    return this.#add(this.#progress);
  }

  /** Adds the part of the artifacts of the last task that no update had. */
  #addArtifacts(task: Fields): EventContent {
    const [whole, { text }] = [artifactsText(task, this.notes), this.replyText];
    if (whole.length <= text.length || !whole.startsWith(text)) return 'other';
    this.notes.add('late_text', 'in the last task');
    return this.#add(whole.slice(text.length));
  }

  #takeArtifact(fields: Fields): EventContent | Verdict {
    const { artifact, append } = fields;
    if (!isObject(artifact)) return broken('an artifactUpdate without an artifact');
    const { contextId, taskId } = this.#seen;
    this.#seen = {
      ...this.#seen,
      taskId: idIn(fields, 'taskId') ?? taskId,
      contextId: idIn(fields, 'contextId') ?? contextId,
    };
    const artifactId = idIn(artifact, 'artifactId');
    const text = textIn(artifact, this.notes);
    this.isSingular = append !== true;
    if (artifactId !== this.#artifactId || this.replyText.text === '')
      [this.#artifactId, this.#artifactStart] = [artifactId, this.replyText.text.length];
    else if (append !== true) this.#replaceOrAppend(text, append);
    return this.#add(text);
  }

  /** An artifact that is sent again replaces the earlier one. Without `append`, it is a further part unless it begins with the earlier text. */
  #replaceOrAppend(text: string, append: unknown): void {
    const earlier = this.replyText.text.slice(this.#artifactStart);
    if (append === false || text.startsWith(earlier)) this.replyText.cutTo(this.#artifactStart);
    else this.notes.add('no_append');
  }

  #add(text: string): EventContent {
    this.replyText.add(text);
    return text === '' ? 'other' : 'content';
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Adds a message to earlier ones; one that repeats their text replaces them. */
function joined(earlier: string, text: string): string {
  if (earlier === '' || text.startsWith(earlier)) return text || earlier;
  return text === '' ? earlier : `${earlier}\n${text}`;
}
