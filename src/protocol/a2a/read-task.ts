import { isObject } from '../../base/is-object.ts';
import { broken, refused, type Judged } from '../classify-whole.ts';
import type { EventReader } from '../model-api/event-stream.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { ReplyText, type RepeatedEvent } from '../model-api/repeated-event.ts';
import type { ErrorClass } from '../outcome.ts';
import type { EventContent, Verdict } from '../protocol.ts';

/** States in which a task waits for the client: the reply asks for more, and the next turn continues the task. */
const askingStates = ['TASK_STATE_INPUT_REQUIRED'];

/** Classes of the states in which a task ends without a reply. */
const failedStates: Readonly<Record<string, ErrorClass>> = {
  TASK_STATE_FAILED: 'server_error',
  TASK_STATE_CANCELED: 'server_error',
  TASK_STATE_REJECTED: 'bad_request',
  TASK_STATE_AUTH_REQUIRED: 'unauthorized',
};

/** A task or a message, in the form in which a reply is made of it. */
interface Seen {
  contextId: unknown;
  taskId: unknown;
  /** `undefined`: the reply is a message without a task. */
  state: unknown;
  messageId: unknown;
  text: string;
}

/** Judges the response to `SendMessage`: a message, or the task in its last state. */
export function judgeResult({ result }: Fields): Judged {
  if (!isObject(result)) return { broken: 'a response without a result' };
  const { task, message } = result;
  if (isObject(message)) return judgeSeen(seenMessage(message));
  if (!isObject(task)) return { broken: 'a result without a task or a message' };
  const artifacts = Array.isArray(task['artifacts']) ? task['artifacts'].filter(isObject) : [];
  const text = artifacts.map((artifact) => textIn(artifact)).join('');
  const { state, messageId, statusText } = statusOf(task['status']);
  return judgeSeen({ contextId: task['contextId'], taskId: task['id'], state, messageId, text: text || statusText });
}

const seenMessage = (message: Fields): Seen => ({
  contextId: message['contextId'],
  taskId: message['taskId'],
  state: undefined,
  messageId: message['messageId'],
  text: textIn(message),
});

function judgeSeen({ contextId, taskId, state, messageId, text }: Seen): Judged {
  const failed = isFailed(state) ? failedStates[state] : undefined;
  if (failed !== undefined) return { refusal: refusedTask(failed, String(state), text) };
  const continues = askingStates.some((asking) => asking === state);
  if (state !== undefined && state !== 'TASK_STATE_COMPLETED' && !continues)
    return { broken: `the task has not ended: ${typeof state === 'string' ? state : 'no state'}` };
  const id = [messageId, taskId].find((each) => typeof each === 'string' && each !== '');
  const finish = continues ? 'other' : 'complete';
  return { reply: { text, id: id as string | undefined, data: { contextId, taskId, state, continues }, finish } };
}

const refusedTask = (outcome: ErrorClass, state: string, text: string): Verdict =>
  refused(outcome, `${state}${text === '' ? '' : `: ${text}`}`);

/** Reads the events of one streamed message: a message, or a task with updates of its status and its artifacts. */
export class TaskReader implements EventReader {
  readonly end = 'a final state of the task';
  readonly replyText = new ReplyText();
  hasEnded = false;
  #seen: Seen = { contextId: undefined, taskId: undefined, state: undefined, messageId: undefined, text: '' };
  #artifactId: unknown;
  /** Length of the text before the current artifact. */
  #artifactStart = 0;

  take({ result }: Fields): EventContent | Verdict {
    if (!isObject(result)) return broken('an event without a result');
    const { task, message, statusUpdate, artifactUpdate } = result;
    if (isObject(message)) return this.#takeMessage(message);
    if (isObject(artifactUpdate)) return this.#takeArtifact(artifactUpdate);
    if (isObject(task)) return this.#takeStatus({ ...task, taskId: task['id'] });
    return isObject(statusUpdate) ? this.#takeStatus(statusUpdate) : 'other';
  }

  repeat(event: RepeatedEvent): EventContent {
    event.addTo(this.replyText);
    return event.isEmpty ? 'other' : 'content';
  }

  reply(): Judged {
    return judgeSeen({ ...this.#seen, text: this.replyText.text });
  }

  spent(): undefined {
    return undefined;
  }

  #takeMessage(message: Fields): EventContent {
    this.#seen = seenMessage(message);
    this.hasEnded = true;
    return this.#add(this.#seen.text);
  }

  /** The message of a status is the reply only if it is final and there is no artifact: otherwise it reports progress. */
  #takeStatus({ taskId, contextId, status }: Fields): EventContent {
    const { state, messageId, statusText } = statusOf(status);
    const isFinal = state === 'TASK_STATE_COMPLETED' || isFailed(state) || askingStates.some((each) => each === state);
    this.#seen = { contextId, taskId, state, messageId, text: '' };
    if (!isFinal) return 'other';
    this.hasEnded = true;
    return this.replyText.text === '' ? this.#add(statusText) : 'other';
  }

  #takeArtifact({ taskId, contextId, artifact, append }: Fields): EventContent | Verdict {
    if (!isObject(artifact)) return broken('an artifactUpdate without an artifact');
    this.#seen = { ...this.#seen, taskId, contextId };
    const { artifactId } = artifact;
    if (artifactId !== this.#artifactId)
      [this.#artifactId, this.#artifactStart] = [artifactId, this.replyText.text.length];
    else if (append !== true) this.replyText.cutTo(this.#artifactStart);
    return this.#add(textIn(artifact));
  }

  #add(text: string): EventContent {
    this.replyText.add(text);
    return text === '' ? 'other' : 'content';
  }
}

const isFailed = (state: unknown): state is string => typeof state === 'string' && Object.hasOwn(failedStates, state);

function statusOf(status: unknown): { state: unknown; messageId: unknown; statusText: string } {
  const { state, message } = isObject(status) ? status : {};
  if (!isObject(message)) return { state, messageId: undefined, statusText: '' };
  return { state, messageId: message['messageId'], statusText: textIn(message) };
}

/** Returns the text of a message or an artifact: its text parts. */
function textIn({ parts }: Fields): string {
  if (!Array.isArray(parts)) return '';
  return parts
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}
