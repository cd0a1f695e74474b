import { countOf } from '../../../base/format.ts';
import { isCacheMark } from '../../../base/cache-mark.ts';
import { isWaitField } from '../../../base/wait-fields.ts';
import type { StreamFormat } from '../../../protocol/protocol.ts';
import { acceptedCodings, isDecodable } from './decode-body.ts';
import { foldedLine, headerLine, statusLine } from './header-grammar.ts';

/** A header as received: the name in its own case, the value without surrounding white space, as latin1. */
type Header = readonly [name: string, value: string];

type Framing = 'none' | 'length' | 'chunked' | 'until_close';

export type Fault = string | undefined;

/** Parses the head of one message, line by line, and interprets the fields that describe the body and the connection. */
export class ResponseHead {
  /** 0 before the status line. */
  status = 0;
  /** Set by the parser at the empty line that ends the head. */
  isComplete = false;
  readonly headers: Header[] = [];
  /** First value if the header is repeated. */
  retryAfter: string | undefined;
  /** Other fields about the wait of a response from status 400 on; `undefined`: there are none. */
  waits: Record<string, string> | undefined;
  /** `undefined` for JSON with status 200 or 201, the usual case. */
  contentType: string | undefined;
  /** Set only for statuses other than 200 and 201. */
  location: string | undefined;
  keepAlive: string | undefined;
  setsCookie = false;
  /** The field that marks a reply of a cache; `undefined`: none. */
  cacheMark: string | undefined;
  /** The `Content-Encoding` unless it is identity. */
  contentCoding: string | undefined;
  /** `undefined` if it was not declared; `Infinity` if it is too large to represent. */
  contentLength: number | undefined;
  #persistentByDefault = false;
  #closeRequested = false;
  #keepAliveRequested = false;
  readonly #transferCodings: string[] = [];
  #hasTrailer = false;
  /** The field whose value the next line may continue. */
  #latest: Header | undefined;

  takeStatusLine(line: string): Fault {
    const [, version, status] = statusLine.exec(line) ?? [];
    if (version === undefined || status === undefined)
      return `the first line is not an HTTP/1 status line: ${quote(line)}`;
    this.status = Number(status);
    this.#persistentByDefault = version === '1.1';
    if (this.status === 101) return 'the server switched protocols (101) without a request';
    return this.status < 100 ? `invalid status ${status}` : undefined;
  }

  /** Takes a line of the head. A field is interpreted after it, because the next line may continue its value (RFC 9112, 5.2). */
  takeHeader(line: string): Fault {
    const latest = this.#latest;
    if (latest !== undefined && foldedLine.test(line)) {
      this.#latest = [latest[0], `${latest[1]} ${trimBlanks(line)}`];
      return undefined;
    }
    const fault = this.endHeader();
    if (fault !== undefined) return fault;
    const [, name, padded] = headerLine.exec(line) ?? [];
    if (name === undefined || padded === undefined) return describeBroken(line);
    // A body has one length: its fields are not continued, and a fault in them is reported at once.
    if (/^(?:content-length|transfer-encoding)$/i.test(name) && trimBlanks(padded) !== '')
      return this.takeField(name, trimBlanks(padded));
    this.#latest = [name, padded];
    return undefined;
  }

  /** Interprets the latest field: no line continues it. */
  endHeader(): Fault {
    const latest = this.#latest;
    this.#latest = undefined;
    return latest && this.takeField(latest[0], trimBlanks(latest[1]));
  }

  /** Takes a field that is already parsed, as in HTTP/2. */
  takeField(name: string, value: string): Fault {
    this.headers.push([name, value]);
    return this.#interpret(name.toLowerCase(), value);
  }

  /** Checks a trailer and ignores it; one that would change the framing is a fault, as in llhttp. */
  takeTrailer(line: string): Fault {
    if (this.#hasTrailer && foldedLine.test(line)) return undefined;
    const name = headerLine.exec(line)?.[1];
    this.#hasTrailer = name !== undefined;
    if (name === undefined) return `a trailer line is broken: ${quote(line)}`;
    return name.toLowerCase() === 'content-length' ? 'Content-Length is in the trailers' : undefined;
  }

  /** The `Date` header; `undefined` without a stated wait, which alone needs it. */
  get date(): string | undefined {
    if (this.retryAfter === undefined && this.waits === undefined) return undefined;
    return this.headers.find(([name]) => name.toLowerCase() === 'date')?.[1];
  }

  get isInterim(): boolean {
    return this.status >= 100 && this.status < 200 && this.status !== 101;
  }

  get framing(): Framing {
    if (this.isInterim || this.#isBodiless) return 'none';
    if (this.#transferCodings.length > 0) return this.#transferCodings.at(-1) === 'chunked' ? 'chunked' : 'until_close';
    if (this.contentLength === undefined) return 'until_close';
    return this.contentLength === 0 ? 'none' : 'length';
  }

  /** Returns the fault if the body of a well-formed head cannot be decoded; `decodes`: compressed replies were accepted. */
  codingFault(decodes: boolean): Fault {
    if (this.isInterim || this.#isBodiless) return undefined;
    const unknown = this.#transferCodings.find((coding) => coding !== 'chunked' && coding !== 'identity');
    if (unknown !== undefined) return `the transfer coding is not supported: ${quote(unknown)}`;
    const { contentCoding } = this;
    if (contentCoding === undefined || (decodes && isDecodable(contentCoding))) return undefined;
    const accepted = decodes ? acceptedCodings : 'only identity';
    return `the body is encoded although ${accepted} was accepted: Content-Encoding ${quote(contentCoding)}`;
  }

  /** True if the connection may carry another exchange once this message is complete. */
  get isPersistent(): boolean {
    return (
      (this.#persistentByDefault || this.#keepAliveRequested) && !this.#closeRequested && this.framing !== 'until_close'
    );
  }

  get #isBodiless(): boolean {
    return this.status === 204 || this.status === 304;
  }

  #interpret(name: string, value: string): Fault {
    if (name === 'content-length') return this.#takeContentLength(value);
    if (name === 'transfer-encoding') return this.#takeTransferEncoding(value);
    if (name === 'connection') this.#takeConnection(value);
    if (name === 'retry-after') this.retryAfter ??= value;
    if (this.status >= minRefusal && isWaitField(name)) {
      this.waits ??= {};
      this.waits[name] ??= value;
    }
    if (name === 'keep-alive') this.keepAlive ??= value;
    if (name === 'set-cookie') this.setsCookie = true;
    if (isCacheMark(name, value)) this.cacheMark ??= `${name}: ${value}`;
    if (name === 'content-encoding' && !/^(?:identity)?$/i.test(value)) this.contentCoding ??= value;
    if (name === 'location' && !isSuccess(this.status)) this.location ??= value;
    if (name === 'content-type' && !(isSuccess(this.status) && /^application\/json/i.test(value)))
      this.contentType ??= value;
    return undefined;
  }

  #takeContentLength(value: string): Fault {
    if (this.#transferCodings.length > 0) return 'Content-Length was sent with Transfer-Encoding';
    const lengths = value.split(',').map(trimBlanks);
    if (!lengths.every((length) => /^[0-9]+$/.test(length))) return `Content-Length is not a length: ${quote(value)}`;
    const [stated = Number(lengths[0])] = [this.contentLength];
    this.contentLength = stated;
    return lengths.every((length) => Number(length) === stated)
      ? undefined
      : 'Content-Length was sent twice, with different values';
  }

  #takeTransferEncoding(value: string): Fault {
    if (this.contentLength !== undefined) return 'Transfer-Encoding was sent with Content-Length';
    if (value !== '') this.#transferCodings.push(...listOf(value));
    return undefined;
  }

  #takeConnection(value: string): void {
    const tokens = listOf(value);
    this.#closeRequested ||= tokens.includes('close');
    this.#keepAliveRequested ||= tokens.includes('keep-alive');
  }
}

/** Lowest status of a response that may state a wait in other fields than `Retry-After`. */
export const minRefusal = 400;

export function isSuccess(status: number): boolean {
  return status === 200 || status === 201;
}

const listOf = (value: string): string[] => value.toLowerCase().split(',').map(trimBlanks);

const isBlank = (text: string, index: number): boolean => text[index] === ' ' || text[index] === '\t';

/** Removes HTTP's white space from both ends; `String.trim` would remove more. */
const trimBlanks = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
};

/** Quotes text of the server unchanged. It has to end the message, because it is escaped and cut when reported. */
const quote = (text: string): string => `"${text}"`;

/** Reports whether a response is the requested stream, by its status and its content type. */
export function isStream({ status, contentType }: ResponseHead, { framing }: StreamFormat): boolean {
  if (!isSuccess(status)) return false;
  const [type = ''] = (contentType ?? '').toLowerCase().split(';');
  return contentTypes[framing].includes(type.trim());
}

/** Reports whether the status is one of those whose body is a stream if a definition states its format. */
export function isStatedStream({ status }: ResponseHead, { isStated }: StreamFormat): boolean {
  return isStated === true && status >= 200 && status <= 299;
}

/** Content types of the stream formats; `''` stands for no type, or for `application/json`. */
const contentTypes: Readonly<Record<StreamFormat['framing'], readonly string[]>> = {
  sse: ['text/event-stream'],
  'aws-event-stream': ['application/vnd.amazon.eventstream'],
  lines: [],
  text: [],
  'json-lines': [
    'application/x-ndjson',
    'application/ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/json-lines',
    'application/stream+json',
    '',
  ],
};

/** Describes a broken header line. One without a colon may be a part of a value that was folded, even of a secret: it is not quoted. */
function describeBroken(line: string): string {
  const shown = line.includes(':') ? quote(line) : `${countOf(line.length, 'character')} without a colon`;
  return `a header line is broken: ${shown}`;
}
