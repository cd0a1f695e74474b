import { isObject } from '../../base/is-object.ts';
import { refused, type Judged } from '../classify-whole.ts';
import type { Finish } from '../finish.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { Notes } from '../notes.ts';
import type { ErrorClass } from '../outcome.ts';
import { idIn, resultIn, stateIn, textIn } from './read-result.ts';

/** State in which a task waits for the client: the reply asks for more, and the next turn continues the task. */
const askingState = 'TASK_STATE_INPUT_REQUIRED';

/** Classes of the states in which a task ends without a reply. */
const failedStates: Readonly<Record<string, ErrorClass>> = {
  TASK_STATE_FAILED: 'server_error',
  TASK_STATE_CANCELED: 'server_error',
  TASK_STATE_REJECTED: 'bad_request',
  TASK_STATE_AUTH_REQUIRED: 'unauthorized',
};

/** A task or a message, in the form in which a reply is made of it. */
export interface Seen {
  contextId: unknown;
  taskId: unknown;
  /** `undefined`: the reply is a message without a task. */
  state: unknown;
  messageId: unknown;
  text: string;
  /** True if the service states the end without a final state. */
  isEnded?: boolean;
}

/** Judges the response to `SendMessage`: a message, or the task in its last state. */
export function judgeResult(response: Fields): Judged {
  if (!isObject(response['result'])) return { broken: 'a response without a result' };
  const notes = new Notes();
  const { kind = 'none', fields = {} } = resultIn(response, notes) ?? {};
  if (kind === 'message') return judgeSeen(seenMessage(fields, notes), notes);
  if (kind !== 'task') return { broken: 'a result without a task or a message' };
  const { state, messageId, statusText } = statusOf(fields['status'], notes);
  const text = textOfTask(fields, statusText, notes);
  const ids = { contextId: idIn(fields, 'contextId'), taskId: fields['id'] };
  return judgeSeen({ ...ids, state, messageId, text }, notes);
}

/** Returns the text of a task that has ended: its artifacts, else the message of its status, else the agent's last message in its history. */
export function textOfTask(task: Fields, statusText: string, notes: Notes): string {
  const text = artifactsText(task, notes) || statusText;
  if (text !== '') return text;
  const { history } = task;
  const messages = Array.isArray(history) ? history.filter(isObject) : [];
  const last = messages.at(-1);
  const latest = last === undefined || /user$/i.test(String(last['role'])) ? '' : textIn(last, notes);
  if (latest !== '') notes.add('text_in_progress', 'in the history');
  return latest;
}

export function artifactsText({ artifacts }: Fields, notes: Notes): string {
  const list = Array.isArray(artifacts) ? artifacts.filter(isObject) : [];
  return list.map((artifact) => textIn(artifact, notes)).join('');
}

export function seenMessage(message: Fields, notes: Notes): Seen {
  return {
    contextId: idIn(message, 'contextId'),
    taskId: idIn(message, 'taskId'),
    state: undefined,
    messageId: idIn(message, 'messageId'),
    text: textIn(message, notes),
  };
}

/** Reports whether a task in this state needs no further event. */
export function isFinal(state: unknown): boolean {
  return state === 'TASK_STATE_COMPLETED' || state === askingState || classOfState(state) !== undefined;
}

export function judgeSeen({ contextId, taskId, state, messageId, text, isEnded }: Seen, notes: Notes): Judged {
  const failed = classOfState(state);
  if (failed !== undefined) return { refusal: refused(failed, `${String(state)}${text === '' ? '' : `: ${text}`}`) };
  if (state !== undefined && !isFinal(state) && isEnded !== true)
    return { broken: `the task has not ended: ${typeof state === 'string' ? state : 'no state'}` };
  const continues = state === askingState;
  const id = [messageId, taskId].find((each): each is string => typeof each === 'string' && each !== '');
  const finish: Finish = continues ? 'other' : isEnded === true ? 'none' : 'complete';
  return { reply: { text, id, data: { contextId, taskId, state, continues }, finish, notes: notes.all } };
}

const classOfState = (state: unknown): ErrorClass | undefined =>
  typeof state === 'string' && Object.hasOwn(failedStates, state) ? failedStates[state] : undefined;

/** Returns the state of a status, and the text of its message. */
export function statusOf(status: unknown, notes: Notes): { state: unknown; messageId: unknown; statusText: string } {
  if (!isObject(status)) return { state: undefined, messageId: undefined, statusText: '' };
  const { message } = status;
  const state = stateIn(status, notes);
  if (!isObject(message))
    return { state, messageId: undefined, statusText: typeof message === 'string' ? message : '' };
  return { state, messageId: idIn(message, 'messageId'), statusText: textIn(message, notes) };
}
