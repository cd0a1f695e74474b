import { parseArgs, type ParseArgsConfig } from 'node:util';
import { split } from 'shlex';
import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { jsonObjectIn } from '../../base/json.ts';
import { type GivenApi, type GivenRequest, inexact, inexactHint, variablePattern } from './given-api.ts';

/** Options of curl with a value that are read, remarked, refused or without meaning here, with their short forms. */
const valued =
  'request:X header:H data:d data-ascii data-binary data-raw json user:u oauth2-bearer cookie:b user-agent:A referer:e url ' +
  'proxy:x cacert cert:E key resolve data-urlencode form:F form-string upload-file:T config:K ' +
  'output:o max-time:m connect-timeout retry retry-delay write-out:w dump-header:D';
const switches =
  'insecure:k location:L http2 get:G no-buffer:N silent:s show-error:S include:i verbose:v fail:f compressed ' +
  'fail-with-body globoff http1.1 no-progress-meter progress-bar:# tlsv1.2';

const optionsOf = (names: string, type: 'string' | 'boolean'): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    names.split(' ').map((each) => {
      const [name = '', short] = each.split(':');
      return [name, { type, multiple: true, ...(short !== undefined && { short }) }];
    }),
  );
const options = { ...optionsOf(valued, 'string'), ...optionsOf(switches, 'boolean') };

/** Remarks about options that are not taken over. */
const remarks: Readonly<Record<string, string>> = {
  insecure:
    'certificates are verified, unlike with curl -k; --ca names a private authority, --insecure skips the verification',
  location: 'redirects are not followed, unlike with curl -L',
  proxy: 'the proxy of curl -x is not taken over: set --proxy',
  cacert: 'the file of curl --cacert is not taken over: set --ca',
  cert: 'the certificate of curl --cert is not taken over: set target.tls',
  resolve: 'the address of curl --resolve is not taken over: set --resolve',
  http2: 'HTTP/2 is not taken over: set --http2',
};

/** Options that send something else than JSON. */
const refused = ['data-urlencode', 'form', 'form-string', 'upload-file', 'config', 'get'];

/**
 * Reads one curl command, or two: one that creates a session, and one that sends a message. Nothing is executed or
 * expanded. Throws a usage error, which quotes no value, for a command that a scenario cannot represent.
 */
export function readCurl(source: string): GivenApi {
  const commands = commandsIn(source).map(readCommand);
  const [message, creation, ...others] = commands.reverse();
  if (message === undefined)
    throw refusal(
      'contains no curl command',
      "Pass the whole command: --from-curl 'curl https://...', or --from-curl - to read it from standard input.",
    );
  if (others.length > 0)
    throw refusal(
      `contains ${String(commands.length)} curl commands`,
      'Keep the one that sends a message and, if sessions are created first, the one before it that creates a session.',
    );
  if (creation !== undefined && creation.request.url.origin !== message.request.url.origin)
    throw refusal(
      'contains commands for two servers',
      'Sessions are created by the server that receives the messages.',
    );
  const notes = [...new Set(commands.flatMap((command) => command.notes))];
  return { message: message.request, creation: creation?.request, notes };
}

/** Splits a text into the words of its curl commands; what is piped or redirected is left out. */
function commandsIn(source: string): string[][] {
  if (/\^\s*[\r\n]|\^"/.test(source))
    throw refusal('is quoted for cmd.exe', "In the browser choose 'Copy as cURL (bash)' instead of '(cmd)'.");
  const words = wordsIn(source.replaceAll('\r\n', '\n'));
  const starts = words.flatMap((word, index) => (/^(?:\$\()?curl$/.test(word) ? [index] : []));
  return starts.map((start, index) => {
    const own = words.slice(start + 1, starts[index + 1]);
    const end = own.findIndex((word) => /^(?:[|;&]+|\d?>>?.*|<.*)$/.test(word));
    return own
      .slice(0, end === -1 ? undefined : end)
      .map((word, at, all) => (at === all.length - 1 ? word.replace(/;$/, '') : word));
  });
}

function wordsIn(source: string): string[] {
  try {
    return split(source);
  } catch (thrown) {
    throw refusal(
      'has a quote or a backslash that is never closed',
      "Copy the whole command. In a shell, single quotes inside of single quotes are written '\\''; --from-curl - reads the command from standard input as it is.",
      thrown,
    );
  }
}

function readCommand(words: readonly string[]): { request: GivenRequest; notes: string[] } {
  const { values, positionals } = parseWords(words);
  for (const name of refused)
    if (values[name] !== undefined)
      throw refusal(
        `uses --${name}`,
        "chat-load sends JSON: pass the body as --data '{...}', and files by their contents.",
      );
  const all = (...names: string[]): string[] => names.flatMap((name) => values[name] ?? []).map(String);
  const urls = all('url').concat(positionals);
  const cookies = all('cookie');
  const users = all('user');
  const headers = [
    ...all('header').flatMap(headerIn),
    ...all('oauth2-bearer').map((token) => ['Authorization', `Bearer ${token}`] as const),
    ...(cookies.length === 0 ? [] : [['Cookie', cookies.join('; ')] as const]),
    ...all('user-agent').map((value) => ['User-Agent', value] as const),
  ];
  if (cookies.some((cookie) => !cookie.includes('=')))
    throw refusal('reads its cookies from a file (-b FILE)', "Files are not read. Name the cookies: -b 'name=value'.");
  if ([...urls, ...users, ...headers.map(([, value]) => value)].some((text) => /\$\(|`/.test(text)))
    throw refusal(
      'contains a command substitution, $(...)',
      'Nothing is executed: set a variable, export AGENT_TOKEN=$(...), and write $AGENT_TOKEN in its place.',
    );
  const data = all('data', 'data-ascii', 'data-binary', 'json');
  if (data.some((each) => each.startsWith('@')))
    throw refusal(
      'reads its body from a file or standard input (@...)',
      "Files and here-documents are not read. Replace it by the contents: --data '{...}'.",
    );
  const bodies = data.concat(all('data-raw'));
  const url = urlIn(urls);
  const unexpanded = bodies.join().match(/\$\{?[A-Z][A-Z\d_]+\b\}?|\$\((?=.*\))/g) ?? [];
  return {
    request: {
      method: all('request').at(-1) ?? 'POST',
      url,
      headers,
      body: bodyIn(bodies),
      basic: basicIn(users.at(-1), url),
    },
    notes: [
      ...Object.entries(remarks).flatMap(([name, remark]) => (values[name] === undefined ? [] : [remark])),
      ...unexpanded.map((found) => `the body contains ${found === '$(' ? '$(...)' : found}, which is sent as it is`),
    ],
  };
}

function parseWords(words: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    return { values: values as Readonly<Record<string, readonly (string | boolean)[] | undefined>>, positionals };
  } catch (thrown) {
    const [, flag = 'an option'] = /'(-[^\s'=]+)/.exec(thrown instanceof Error ? thrown.message : '') ?? [];
    const isUnknown = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    throw refusal(
      isUnknown ? `uses ${flag}, which chat-load does not know` : `has no usable value for ${flag}`,
      isUnknown ? 'Remove the option if the request works without it.' : 'Complete the value, or remove the option.',
    );
  }
}

function urlIn([address, ...others]: readonly string[]): URL {
  if (address === undefined || others.length > 0)
    throw refusal(
      address === undefined ? 'has no URL' : `has ${String(others.length + 1)} URLs`,
      'Name one URL. Words with spaces, & or ? need quotes.',
    );
  const path = address.replace(/\?.*$/s, '');
  const [variable] = path.match(variablePattern) ?? [];
  const [open] = /\{+[^{}]*\}+|<[^<>]*>/.exec(path) ?? [];
  if (variable !== undefined || open !== undefined)
    throw refusal(
      `has the ${variable === undefined ? 'parameter' : 'variable'} ${variable ?? open ?? ''} in its URL`,
      'Replace it by its value: variables are only kept in headers and in the query.',
    );
  const full = /^[a-z][\w+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (URL.canParse(full) && /^https?:$/.test(new URL(full).protocol)) return new URL(full);
  throw refusal(
    'has no usable URL',
    'Name a URL that starts with http:// or https://. WebSockets need a definition: docs/guides/websocket.md.',
  );
}

function headerIn(line: string): (readonly [string, string])[] {
  if (line.startsWith('@'))
    throw refusal('reads headers from a file (-H @...)', "Files are not read. Name them: -H 'Name: value'.");
  const [, name = '', value = ''] = /^([^:;]*)[:;]\s*(.*)$/s.exec(line) ?? [];
  return name.trim() === '' || value === '' ? [] : [[name.trim(), value.trim()]];
}

function bodyIn([body, ...others]: readonly string[]): Record<string, unknown> {
  if (body === undefined)
    throw refusal('has no body', "chat-load sends messages in JSON: --data '{...}' of a request that sends one.");
  // In double quotes, a shell removes the backslash of these.
  const json = others.length > 0 ? undefined : (jsonObjectIn(body) ?? jsonObjectIn(body.replaceAll(/\\([$`])/g, '$1')));
  if (json === undefined)
    throw refusal(
      others.length > 0 ? 'has several bodies' : 'has a body that is not a JSON object',
      'Pass one JSON object: --data \'{"message": "Hello"}\'. For other formats: chat-load init --protocol own.',
    );
  const number = inexactNumberIn(body);
  if (number !== undefined) throw refusal(`contains ${inexact(number)}`, inexactHint);
  // Assigned to a field, it would set the prototype.
  if (/"__proto__":/.test(JSON.stringify(json)))
    throw refusal('contains the field __proto__', 'Remove the field, which a scenario cannot state.');
  return json;
}

/** Returns the first number in a JSON text that would change when it is parsed. */
function inexactNumberIn(text: string): string | undefined {
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs) ?? [];
  return tokens.find((token) => !token.startsWith('"') && !isExact(token));
}

function isExact(number: string): boolean {
  const digits = number
    .replace(/e.*/i, '')
    .replaceAll(/\D/g, '')
    .replaceAll(/^0+|0+$/g, '');
  return Number.isFinite(Number(number)) && (digits.length <= 15 || String(Number(number)) === number);
}

/** Returns Basic credentials; removes them from the URL. */
function basicIn(user: string | undefined, url: URL): GivenRequest['basic'] {
  const given =
    user ?? (url.username === '' ? undefined : [url.username, url.password].map(decodeURIComponent).join(':'));
  [url.username, url.password] = ['', ''];
  if (given === undefined) return undefined;
  const [, name = '', password = ''] = /^([^:]*):?(.*)$/s.exec(given) ?? [];
  if (password !== '' && name !== '') return [name, password];
  throw refusal(
    'names a user without a password',
    "Pass both: -u 'user:password'. A key in place of the user belongs into a header.",
  );
}

const refusal = (fault: string, hint: string, cause?: unknown): ChatLoadError =>
  usageError(`--from-curl: the command ${fault}.`, `Nothing was written. ${hint}`, cause);
