import { parseJson } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import {
  failedExchange,
  faultyReply,
  type Contact,
  type ContactEvent,
  type ContactExchange,
  type ContactPolls,
  type ContactReading,
} from '../../conformance/contact/contact.ts';
import { countOf, formatCount, formatMs } from '../../base/format.ts';
import { lastLine } from '../words/last-line.ts';
import { stepText } from '../words/measured-text.ts';
import { oneLine, cut, widthOf } from '../words/width.ts';
import { breakText, paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';
import { contactFacts, contactLine, tokensText } from './contact-facts.ts';

/** Recommended next step: a text, and the arguments of a shell command; empty for none. */
interface Next {
  words: string;
  command: readonly string[];
}

/** Renders a first conversation: one exchange in full and the others in two lines each, or all in full. */
export function renderContact(contact: Contact, next: Next, style: Style, showsAll = false): string {
  const { protocol, baseUrl, agentId, isEmbedded } = contact.target;
  const where = isEmbedded ? 'the embedded reference service' : baseUrl;
  const head = paragraph(`try: ${protocol} at ${where}${agentId === '' ? '' : `, ${agentId}`}`, { width: style.width });
  const whole = exemplary(contact);
  const shown = contact.exchanges.filter(
    (each, index, all) => showsAll || each === whole || !isStepOf(each, all.slice(index + 1)),
  );
  const exchanges = shown.map((exchange) =>
    showsAll || exchange === whole ? renderExchange(exchange, style) : summarize(exchange, style),
  );
  const isShort = !showsAll && contact.exchanges.length > 1;
  const more = isShort ? [style.colors.dim('--all prints every exchange in full')] : [];
  const findings = renderFindings(contact, style);
  return [style.colors.bold(head), ...exchanges, ...more, ...findings, renderVerdict(contact, next, style)].join(
    '\n\n',
  );
}

/** Reports whether later exchanges of the turn poll the reply to this one. */
const isStepOf = ({ turn, reading }: ContactExchange, later: readonly ContactExchange[]): boolean =>
  reading === undefined && later.some((each) => each.turn === turn && each.polled !== undefined);

/** Renders the checks before a load, one line each; the remedy follows a warning. */
function renderFindings({ findings = [] }: Contact, { width, colors }: Style): string[] {
  if (findings.length === 0) return [];
  const lines = findings.map(({ subject, isFine, text, remedy }) => {
    const state = isFine ? colors.green('pass') : colors.yellow('warn');
    const words = paragraph(`${text}${isFine ? '' : `. ${remedy}`}`, { width, first: `      ${subject.padEnd(13)}` });
    return `${state}${words.slice('pass'.length)}`;
  });
  return [[colors.bold('FINDINGS'), ...lines].join('\n')];
}

function renderVerdict(contact: Contact, { words, command }: Next, { width, colors }: Style): string {
  const facts = contactFacts(contact).map(([name, text]) => fact(name, text, width));
  const remedy = words === '' ? [] : [fact('next step', words, width), ...commandLines(command, width)];
  const last = contactLine(contact);
  const paint = last === lastLine('PASSED', '') ? colors.green : colors.red;
  return [colors.bold('VERDICT'), ...facts, ...remedy, paint(last)].join('\n');
}

const fact = (name: string, text: string, width: number): string => paragraph(text, { width, first: name.padEnd(11) });

/** Wraps a command so that it can be copied from a narrow terminal. */
function commandLines(command: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of command.map(printable)) {
    const line = lines.at(-1);
    if (line === undefined) lines.push(`  ${word}`);
    else if (widthOf(line) + 1 + widthOf(word) <= width - 2) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

function renderExchange({ turn, request, response, reading, polled }: ContactExchange, style: Style): string {
  const { method, url, fields, body } = request;
  const sent = [`${method} ${url}`, ...fields.map(([name, value]) => `${name}: ${value}`), ...bodyLines(body)];
  const { status, detail, events } = response;
  const head = [headOf(response), ...response.fields.map(([name, value]) => `${name}: ${value}`)];
  const answer = status === 0 ? [detail] : [...head, ...(detail === '' ? [] : [detail])];
  const received = [
    ...answer,
    ...(events === undefined ? bodyLines(response.body, response.bodyLength) : eventLines(events, style.width)),
  ];
  return [
    style.colors.bold(titleOf(turn)),
    ...marked('> ', sent, style),
    ...marked('< ', received, style),
    `time  ${timeText(response)}${polled === undefined ? '' : `, ${pollsText(polled)}`}`,
    ...(reading === undefined ? [] : readingLines(reading, style)),
  ].join('\n');
}

/** Returns the exchange that shows most: the one with a problem, otherwise the first turn. */
const exemplary = (contact: Contact): ContactExchange | undefined =>
  failedExchange(contact) ??
  faultyReply(contact)?.exchange ??
  contact.exchanges.find(({ turn }) => turn > 0) ??
  contact.exchanges.at(-1);

const titleOf = (turn: number): string => (turn === 0 ? 'create session' : `turn ${String(turn)}`);

/** Renders an exchange in two lines: its response, and its reading. */
function summarize({ turn, response, reading, polled }: ContactExchange, { width, colors }: Style): string {
  const { status, version, detail: reason } = response;
  const head = status === 0 ? reason : `${String(status)} ${version}`;
  const title = titleOf(turn);
  const first = cut(
    printable(`${title}  ${head}, ${polled === undefined ? timeText(response) : pollsText(polled)}`),
    width,
  );
  const { outcome = 'not read', text = '', detail = '' } = reading ?? {};
  const words = [outcome, ...(detail === '' ? [] : [detail]), ...(text === '' ? [] : [oneLine(text, width)])].join(
    ': ',
  );
  return `${colors.bold(title)}${first.slice(title.length)}\n${cut(printable(`read  ${words}`), width)}`;
}

const headOf = ({ status, version, contentType }: ContactExchange['response']): string =>
  version === 'WebSocket'
    ? `${String(status)} ${version}`
    : `${String(status)} ${version}, ${contentType === '' ? 'no content type' : contentType}`;

const pollsText = ({ afterMs, count, everyMs }: ContactPolls): string =>
  `reply after ${formatMs(afterMs)}, ${countOf(count, 'poll')} every ${stepText(everyMs)}`;

function timeText({ firstByteMs, content, totalMs }: ContactExchange['response']): string {
  return [
    ...(firstByteMs === undefined ? [] : [`first byte ${formatMs(firstByteMs)}`]),
    ...(content === undefined ? [] : [`first token ${formatMs(content.firstMs)}`]),
    `total ${formatMs(totalMs)}`,
  ].join(', ');
}

/** Number of characters of a body that are shown. */
const maxBodyLength = 2000;

function bodyLines(body: string, length = body.length): string[] {
  const text = indented(body);
  if (text.trim() === '') return [];
  const shown = text.slice(0, maxBodyLength);
  const rest = Math.max(text.length, length) - shown.length;
  return ['', ...shown.split(/\r\n|\r|\n/), ...(rest > 0 ? [`... (${formatCount(rest)} characters more)`] : [])];
}

/** Indents JSON; returns any other text unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(parseJson(body), null, 2);
  } catch {
    // Bodies that are not JSON are shown too.
    return body;
  }
}

const [firstEvents, lastEvents] = [10, 3];

function eventLines(events: readonly ContactEvent[], width: number): string[] {
  const line = ({ atMs, type, data }: ContactEvent): string =>
    atMs.toFixed(1).padStart(8) + cut(` ms  ${type === '' ? '' : `${type}: `}${printable(data)}`, 3 * width);
  const between = events.length - firstEvents - lastEvents;
  if (between <= 0) return ['', ...events.map(line)];
  const skipped = `... (${countOf(between, 'event')} more)`;
  return ['', ...events.slice(0, firstEvents).map(line), skipped, ...events.slice(-lastEvents).map(line)];
}

/** Prefixes lines with a mark, so that received text cannot imitate the report. */
const marked = (mark: string, lines: readonly string[], { width, colors }: Style): string[] =>
  lines.flatMap((line) =>
    breakText(printable(line), Math.max(20, width - mark.length)).map((each) => colors.dim(mark) + each),
  );

function readingLines(reading: ContactReading, { width, colors }: Style): string[] {
  const { outcome, detail, text, id, usage, calls, lacksDone } = reading;
  const isOk = outcome === 'ok';
  const facts = [
    isOk ? 'ok' : `${outcome}${detail === '' ? '' : `: ${detail}`}`,
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(usage === undefined ? [] : [tokensText(usage)]),
    ...(calls.length === 0 ? [] : [`calls ${calls.join(', ')}`]),
    ...(lacksDone ? ['ended without [DONE]'] : []),
  ];
  const paint = isOk ? colors.green : colors.red;
  return [
    paragraph(facts.join(', '), { width, first: 'read  ', paint }),
    ...(text === '' ? [] : [paragraph(oneLine(text, maxTextLength), { width, first: 'text  ' })]),
  ];
}

/** Number of columns of a reply's text that are shown; the body has the rest. */
const maxTextLength = 300;
