import { type ChatLoadError, usageError } from '../../base/errors.ts';
import { curlBody } from './curl-body.ts';
import { curlRemarks, parseCurl, refusedOptions } from './curl-options.ts';
import { type GivenApi, type GivenRequest, variablePattern } from './given-api.ts';
import { fromCmd, isForCmd } from './shell-quotes.ts';
import { shellCommands, type ShellCommand } from './shell-words.ts';

/**
 * Reads one curl command, or two: one that creates a session, and one that sends a message. Nothing is executed or
 * expanded. Throws a usage error, which quotes no value, for a command that a scenario cannot represent.
 */
export function readCurl(source: string): GivenApi {
  const plain = source.replaceAll(/[“”„]/g, '"').replaceAll(/[‘’‚]/g, "'");
  try {
    return readCommands(source);
  } catch (thrown) {
    if (plain === source) throw thrown;
    return readWithout(thrown, plain);
  }
}

/** Reads a command that was refused with the quotes of a word processor. */
function readWithout(refused: unknown, plain: string): GivenApi {
  try {
    return readCommands(plain);
  } catch (thrown) {
    if (thrown instanceof Error && refused instanceof Error && thrown.message === refused.message) throw thrown;
    throw refusal('contains typographic quotes (“ ” ‘ ’)', `Replace them by plain ones: " and '.`);
  }
}

function readCommands(source: string): GivenApi {
  const all = commandsIn(source);
  const [message, creation, ...others] = all.toReversed();
  if (message === undefined)
    throw refusal(
      'contains no curl command',
      "Pass the whole command: --from-curl 'curl https://...', or --from-curl - to read it from standard input.",
    );
  if (others.length > 0)
    throw refusal(
      `contains ${String(all.length)} curl commands`,
      'Keep the one that sends a message and, if sessions are created first, the one before it that creates a session.',
    );
  const jar = all.some(({ words }) => words.some((word) => /^(?:-c|--cookie-jar)/.test(word)));
  const created = creation && readCommand(creation, { isCreation: true, jar });
  const sent = readCommand(message, { isAfterCreation: created !== undefined, assigned: creation?.assigned, jar });
  if (created !== undefined && created.request.url.origin !== sent.request.url.origin)
    throw refusal(
      'contains commands for two servers',
      'Sessions are created by the server that receives the messages.',
    );
  return {
    message: sent.request,
    creation: created?.request,
    sessionVariable: creation?.assigned,
    ...((sent.keepsCookies || created?.keepsCookies === true) && { cookies: true }),
    notes: [...new Set([...(created?.notes ?? []), ...sent.notes])],
  };
}

/** Returns the curl commands of a text, without the words before their options. */
function commandsIn(source: string): ShellCommand[] {
  return shellCommands(isForCmd(source) ? fromCmd(source) : source).flatMap((command) => {
    const start = command.words.findIndex(isCurl);
    if (start === -1 || !command.words.slice(0, start).every(isBeforeCommand)) return [];
    if (command.isUnclosed)
      throw refusal(
        'has a quote or a backslash that is never closed',
        "Copy the whole command. In a shell, single quotes inside of single quotes are written '\\''; --from-curl - reads the command from standard input as it is.",
      );
    return requestsOf(command.words.slice(start + 1)).map((words) => ({ ...command, words }));
  });
}

const isCurl = (word: string): boolean => /^(?:.*[/\\])?curl(?:\.exe)?$/i.test(word);

/** Reports whether a word may precede a command: a prompt, an assignment, or the name of a command that runs another. */
const isBeforeCommand = (word: string): boolean =>
  /[$%#>:~]$/.test(word) || /^-|^\w+=/.test(word) || wrappers.includes(word);

const wrappers = ['time', 'sudo', 'env', 'command', 'exec', 'nohup', 'then', 'do', '!', '{', '(', '&'];

/** Splits words into requests: at `--next`, and at another curl of commands that are joined by spaces. */
function requestsOf(words: readonly string[]): string[][] {
  const at = words.findIndex(
    (word, index) => word === '--next' || word === '-:' || (isCurl(word) && !/^-/.test(words[index - 1] ?? '-')),
  );
  return at === -1 ? [[...words]] : [words.slice(0, at), ...requestsOf(words.slice(at + 1))];
}

interface Reading {
  isCreation?: boolean;
  /** True for the second of two commands, whose path may name the id of the first one. */
  isAfterCreation?: boolean;
  /** Variable that takes the id of the first command. */
  assigned?: string | undefined;
  /** True if cookies are kept in a file between the commands. */
  jar: boolean;
}

function readCommand({ words, input }: ShellCommand, { isCreation, isAfterCreation, assigned, jar }: Reading) {
  const isSole = isCreation !== true && isAfterCreation !== true;
  const { values, positionals } = parseWords(words);
  for (const name of refusedOptions)
    if (values[name] !== undefined)
      throw refusal(
        `uses --${name}`,
        "Pass the body as --data '{...}' or --data 'name=value', and files by their contents.",
      );
  const all = (...names: string[]): string[] => names.flatMap((name) => values[name] ?? []).map(String);
  const urls = all('url').concat(positionals);
  const users = all('user');
  const cookies = all('cookie').filter((cookie) => cookie.includes('=') || !jar);
  if (cookies.some((cookie) => !cookie.includes('=')))
    throw refusal('reads its cookies from a file (-b FILE)', "Files are not read. Name the cookies: -b 'name=value'.");
  const headers = [
    ...all('header').flatMap(headerIn),
    ...all('oauth2-bearer').map((token) => ['Authorization', `Bearer ${token}`] as const),
    ...(cookies.length === 0 ? [] : [['Cookie', cookies.join('; ')] as const]),
    ...all('user-agent').map((value) => ['User-Agent', value] as const),
  ];
  if ([...urls, ...users, ...headers.map(([, value]) => value)].some((text) => /\$\(|`/.test(text)))
    throw refusal(
      'contains a command substitution, $(...)',
      'Nothing is executed: set a variable, export AGENT_TOKEN=$(...), and write $AGENT_TOKEN in its place.',
    );
  const url = urlIn(urls, isAfterCreation === true);
  const basic = basicIn(users.at(-1), url);
  const [plain, raw, encoded] = [
    all('data', 'data-ascii', 'data-binary', 'json'),
    all('data-raw'),
    all('data-urlencode'),
  ];
  const [parts, plainParts] = [all('form'), all('form-string')];
  const isQuery = values['get'] !== undefined;
  const hasBody = !isQuery && [plain, raw, encoded, parts, plainParts].some(({ length }) => length > 0);
  const unexpanded = unexpandedIn([...plain, ...raw].join(), assigned);
  const contentType = headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? '';
  const of = isSole ? '' : ` for ${url.pathname}`;
  const data = {
    plain,
    raw,
    encoded,
    parts,
    plainParts,
    input,
    isQuery,
    contentType: values['json'] === undefined ? contentType : 'application/json',
  };
  return {
    request: {
      method: all('request').at(-1)?.toUpperCase() ?? (hasBody ? 'POST' : 'GET'),
      headers,
      basic,
      ...curlBody(url, data, { isCreation: isCreation === true, refuse: (fault, hint) => refusal(fault, hint, of) }),
    },
    keepsCookies: jar && values['cookie'] !== undefined,
    notes: [
      ...Object.entries(curlRemarks).flatMap(([name, remark]) => (values[name] === undefined ? [] : [remark])),
      ...unexpanded.map((found) => `the body contains ${found === '$(' ? '$(...)' : found}, which is sent as it is`),
    ],
  };
}

/** Returns the variables and substitutions of a body, without the id that a definition replaces: the variable `assigned` as a whole value. */
function unexpandedIn(data: string, assigned: string | undefined): string[] {
  const wholes = [...data.matchAll(/(?<=["=])\$(?:(\w+)|\{(\w+)\})(?=["&]|$)/g)];
  const id = wholes.find(([, bare, braced]) => assigned !== undefined && (bare ?? braced) === assigned);
  const others = id === undefined ? data : data.slice(0, id.index) + data.slice(id.index + id[0].length);
  return others.match(/\$\{?[A-Z][A-Z\d_]+\b\}?|\$\((?=.*\))/g) ?? [];
}

function parseWords(words: readonly string[]) {
  try {
    return parseCurl(words);
  } catch (thrown) {
    const [, flag = 'an option'] = /'(-[^\s'=]+)/.exec(thrown instanceof Error ? thrown.message : '') ?? [];
    const isUnknown = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION';
    throw refusal(
      isUnknown ? `uses ${flag}, which chat-load does not know` : `has no usable value for ${flag}`,
      isUnknown ? 'Remove the option if the request works without it.' : 'Complete the value, or remove the option.',
    );
  }
}

function urlIn([address, ...others]: readonly string[], mayNameSession: boolean): URL {
  if (address === undefined || others.length > 0)
    throw refusal(
      address === undefined ? 'has no URL' : `has ${String(others.length + 1)} URLs`,
      'Name one URL. Words with spaces, & or ? need quotes.',
    );
  const path = address.replace(/\?.*$/s, '');
  const variables = path.match(variablePattern) ?? [];
  const parameters = path.replaceAll(variablePattern, '').match(/\{+[^{}]*\}+|<[^<>]*>/g) ?? [];
  const [open] = [...variables, ...parameters];
  // The id of a session that the first command creates.
  const isSession =
    mayNameSession &&
    variables.length + parameters.length === 1 &&
    /^(?:[a-z][\w+.-]*:\/\/)?[^/${}<>]+\//i.test(address);
  if (open !== undefined && !isSession)
    throw refusal(
      `has the ${variables.length === 0 ? 'parameter' : 'variable'} ${open} in its URL`,
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

/** `of`: path of the command, if it is one of several. */
const refusal = (fault: string, hint: string, of = ''): ChatLoadError =>
  usageError(`--from-curl: the command${of} ${fault}.`, `Nothing was written. ${hint}`);
