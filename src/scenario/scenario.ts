import type { Duration } from './duration.ts';
import type { DurationDistribution } from './duration-distribution.ts';
import type { FailedClass, FinishedClass } from '../protocol/outcome.ts';
import type { Usage } from '../protocol/protocol.ts';
import type { FaultOptions } from './embedded-faults.ts';
import type { SabotageOptions } from './embedded-sabotage.ts';
import type { ConversationFile } from './from-file.ts';
import type { MetricName } from './metric-name.ts';
import type { AbandonOptions, Objectives } from './reader-options.ts';
import type { ProtocolDefinition } from './define-protocol.ts';
import type { ProtocolName } from './known-protocols.ts';

// options: written by npm run docs

/** What a load test asks for: the author's file. Every field but `name`, `messages` and one of `sessions` / `duration` has a default. */
export interface Scenario<Lists extends DataLists = DataLists> {
  /** Names the scenario in reports and result files. Required. */
  name: string;
  /** Picks the values, messages, turn counts and think times of every session: the same seed gives the same sessions anywhere. Default `1`. */
  seed?: number;
  /** The service to talk to; without a base URL the embedded reference service is started for the run. Default: the embedded service. */
  target?: TargetOptions;
  /** How the embedded reference service behaves: latency, capacity, faults, limits. Default none. */
  embedded?: EmbeddedOptions;
  /** The number of sessions to run. Default none. */
  sessions?: number;
  /** How long new sessions are started, such as `90s` or `10m`; sessions under way may then finish within the grace period. Default none. */
  duration?: Duration;
  /** Turns of a session: a number, a range, a normal distribution, weights, or a preset (`'public-mix'`, `'support-agent'`). With `messages.next` they are the most that a session has, and with `fromFile`, where they are a number. Default: the number of messages; with `next` 10, at most; with `fromFile` those of the conversation. */
  turns?: TurnOptions;
  /** How sessions are started: closed load (`concurrency`), open load (`sessionsPerSecond`) or `stages` of either. Default `{ concurrency: 10 }`. */
  load?: LoadOptions;
  /** The wait between the end of a turn and the next turn: a duration, a distribution, or the preset `'chat'`. Default `'0s'`. */
  thinkTime?: ThinkTimeOptions;
  /** Named lists for `{{pick LIST}}`: inline rows, or `{ file }`, a CSV or JSONL file beside the scenario. `{ rows, weight: 'share' }` and `{ file, weight: 'share' }` pick rows in proportion to a field. Default none. */
  data?: Lists;
  /** Values for the variables that the agent's instructions reference: templates, plain values, or functions; they may be nested. Default none. */
  variableValues?: Readonly<Record<string, ValueTemplate<Lists>>>;
  /** The messages: turn k takes message k, cyclically. Templates or functions, or one function of the turn; or `{ first, next }`, where `next` takes the reply and returns the next message, or null at the end of the conversation; or `fromFile('talks.jsonl')`, of which a session says one conversation. Default: made messages of the recorded length, with `load.trace`; required without one. */
  messages?: MessageOptions<Lists>;
  /** Answers the tool calls of replies, by the names of the tools: a function of the arguments, whose result is said in the next turn, without think time. What the API is told of the tools is part of `target.messageBody`. Without any, calls are not answered. Default none. */
  tools?: Readonly<Record<string, ToolFunction<Lists>>>;
  /** What a reply must fulfil beyond the contract, by name: a check returns true, false, or a description of what is wrong; one that throws has failed. Default none. */
  checks?: Readonly<Record<string, ReplyCheck>>;
  /** Whether conversations stay intact: check replies (`'listen'`), also add codes and tags to messages for the agent to repeat (`true` or options), or neither (`false`). Default `'listen'`. */
  integrity?: boolean | 'listen' | IntegrityOptions;
  /** The longest an attempt may take, including connecting. Default `'30s'`. */
  timeout?: Duration;
  /** The longest wait for further content of a streamed reply, once its content has begun, and for the end of the response after the last content; a longer one is `timed_out`. SSE comments (keep-alive) and events without content do not count as content. Needs `target.stream`. Default: no bound. */
  stallTimeout?: Duration;
  /** The longest that opening a connection may take. Default `'10s'`. */
  connectTimeout?: Duration;
  /** How long a connection may stay idle before it is closed. Default `'4s'`. */
  idleConnectionTimeout?: Duration;
  /** The largest response head that is read. Default `65536` bytes. */
  maxHeadBytes?: number;
  /** The largest response body that is read. Default `16777216` bytes. */
  maxBodyBytes?: number;
  /** The largest event of a reply in pieces that is read. Default `1048576` bytes. */
  maxEventBytes?: number;
  /** Sessions and turns that begin within this time are excluded from every published figure. Default `'0s'`. */
  warmUp?: Duration;
  /** How long sessions under way may go on once no new ones start. Default `'30s'`. */
  gracePeriod?: Duration;
  /** When and how failed attempts are repeated: a policy, `'none'`, or several policies by name, to which sessions are dealt by number. Default: one policy with the defaults of its fields. */
  retry?: RetryOptions;
  /** After a turn has failed for good: end the session (`'stop'`) or go on with the next turn (`'continue'`). Default `'stop'`. */
  onFailedTurn?: 'stop' | 'continue';
  /** The turn latency up to which an ok turn counts for goodput, or several limits that all have to hold: `{ turn: '3s', firstToken: '800ms', gap: '500ms' }`, the gap being the turn's longest, which needs `target.stream`; without any, every ok turn counts. Default none. */
  objective?: Duration | Objectives;
  /** Users who leave before a reply is complete: the share of turns, drawn by seed, and how long after the send of an attempt, such as `{ share: 0.05, after: '2s' }`. An abandoned turn is no failure, and the session goes on. Default none. */
  abandon?: AbandonOptions;
  /** Pass or fail conditions by metric, such as `{ 'turn.p95': '< 2s', 'turns.failedShare': { gate: '< 5%', abort: true, after: '1m' } }`; `abort` stops the run when the gate fails, `confident: true` compares the end of a percentile's 95 % interval with the limit. `turns.ok >= 1` always applies, unless the scenario has a gate on `turns.ok`. Default none. */
  gates?: Gates;
  /** Hosts that may be loaded, besides this machine (loopback): `api.example.com`, `*.example.com`, with or without a port. Default: loopback only. */
  allowHosts?: readonly string[];
  /** The longest that the run may take, whatever else is configured; then no new session starts. Default: no bound. */
  maxDuration?: Duration;
  /** The most messages that may be sent, including retries. Default: no bound. */
  maxTurns?: number;
  /** The most sessions that may be created, including retries. Default: no bound. */
  maxSessions?: number;
  /** What a reply costs, from its `data`, in any currency: `(data) => Number(data.cost)`. Default none. */
  cost?: ReplyCost;
  /** Nothing more is sent once replies have cost this much, in the currency of `cost`. Default: no bound. */
  maxCost?: number;
  /** When a run without progress is stopped. Default `{ unusable: 10, noSuccess: '1m', targetGone: '30s' }`. */
  stopWhen?: StopOptions;
  /** Keep message and reply of failure examples in the result and its journal, with the API key redacted. Default `false`. */
  keepTexts?: boolean;
}

export interface LoadOptions {
  /** Closed load: sessions at a time; the next one starts when one ends. Default `10` sessions. */
  concurrency?: number;
  /** Open load: sessions started per second; fractions allowed. In sessions/s. Default none. */
  sessionsPerSecond?: number;
  /** The level rises linearly from 0 over this time. Default `'0s'`. */
  rampUp?: Duration;
  /** Levels in sequence: each runs linearly from the level before (at first 0) to its own over its duration; all closed or all open. Default none. */
  stages?: readonly Stage[];
  /** Open load: how start instants are spread. Gamma gaps have a coefficient of variation of 1/sqrt(burstiness). Default `'constant'`. */
  arrivals?: 'constant' | 'poisson' | 'gamma';
  /** The k of gamma arrivals: below 1 is burstier than Poisson, above 1 more even. Default none. */
  burstiness?: number;
  /** Open load: the most sessions that may be live. Default: no bound. */
  maxConcurrency?: number;
  /** Open load: what happens to a session that is due while `maxConcurrency` sessions are live. Dropped sessions degrade a run; it is invalid when fewer than 95 % of those due were started. Default `'wait'`. */
  whenFull?: 'wait' | 'drop';
  /** The most turns that may be in flight, apart from live sessions. Default: no bound. */
  maxTurnsInFlight?: number;
  /** Open load as it was recorded: a file of requests with their times, beside the scenario. Mooncake, BurstGPT, Azure LLM inference, OpenTelemetry spans and access logs are recognized; others are read by `columns`. Default none. */
  trace?: string;
  /** With a trace: how much faster than recorded. Default `1`. */
  speed?: number;
  /** With a trace: where it begins, in the time of the trace. Default `'0s'`. */
  from?: Duration;
  /** With a trace: how much of it is replayed, in the time of the trace. Default: to its end. */
  for?: Duration;
  /** With a trace: which columns say what, such as `{ at: 'time', session: 'user' }`. Default none. */
  columns?: TraceColumnOptions;
  /** With a trace: sorts lines that are out of order in time, which are refused otherwise. Default `false`. */
  sort?: boolean;
}

export interface TargetOptions {
  /** The URL of the service, such as `https://api.example.com`; a path in it is kept as a prefix, except a protocol's own path at its end (`/v1/chat/completions`), which selects the protocol. `'embedded'`, or no such key: the embedded service. Default: the embedded service. */
  baseUrl?: string;
  /** The API key; better set in the environment than in the file. Default none. */
  apiKey?: string;
  /** What authorizes requests instead of the API key: one of the fields below, or `'none'`. With it no API key is needed. Default: the API key, in the protocol's own way. */
  auth?: 'none' | AuthOptions;
  /** The agent to talk to. Default none. */
  agentId?: string;
  /** How the service is spoken to: `'chat-messaging'`, `'openai-chat'`, `'openai-responses'`, `'anthropic-messages'`, or an own one by `defineProtocol`. Default `'chat-messaging'`. */
  protocol?: ProtocolName | ProtocolDefinition;
  /** Asks for replies in pieces, and measures when each comes. Default `false`. */
  stream?: boolean;
  /** What the agent is told before the conversation (a system message), with `{{name}}` for variable values; for protocols that have such a place. Default: the variable values, one a line. */
  instructions?: string;
  /** Path of messages, below the base URL. Default: that of the protocol. */
  messagesPath?: string;
  /** Fields that every message has besides those of the protocol, such as `{ temperature: 0, max_tokens: 300 }`. Default `{  }`. */
  messageBody?: Readonly<Record<string, unknown>>;
  /** `openai-responses`: what keeps a conversation, the id of the reply before or that of a conversation that is created first. Default `'previous_response'`. */
  conversation?: 'previous_response' | 'conversation';
  /** Addresses of this machine to connect from, dealt cyclically; each has a range of local ports of its own. Default: the system chooses. */
  localAddresses?: readonly string[];
  /** The proxy that requests go through: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` where it asks for them. `none`: not even that of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`. Default: that of the environment, if any. */
  proxy?: string;
  /** The absolute path of the Unix socket that the target listens on; the base URL still gives `Host` and the path. Default: TCP. */
  unixSocket?: string;
  /** Header fields of every request, such as `{ 'X-Tenant': '{{pick customers.tenant}}' }`: templates or functions, rendered for a session, or for every turn where they use the turn (0 for the creation). Names are shown in results, values never. Default: none. */
  headers?: Readonly<Record<string, HeaderValue>>;
  /** Sends a new W3C `traceparent` with every attempt; the trace id of every example is in the result. Default `false`. */
  trace?: boolean;
  /** Keeps the cookies that the service sets, for each session its own, and sends them back. Default `false`. */
  cookies?: boolean;
  /** Addresses of hosts that are not looked up, as of curl: `'host:port:address'`, several by repeating it; IPv6 addresses in brackets. Default: hosts are looked up. */
  resolve?: readonly string[];
  /** How often the host of the base URL is looked up again during a run, so that a service that moves is followed; `'off'`: never. Default `'30s'`. */
  dnsRefresh?: Duration | 'off' | false;
  /** How TLS is spoken with a service whose base URL says https: authorities, a client certificate, versions. Default: the defaults of its fields. */
  tls?: TargetTlsOptions;
  /** Speaks HTTP/2: with https:// agreed on in the handshake, with http:// from the start. Without it HTTP/1.1 is spoken, unless the server speaks HTTP/2 alone. Default `false`. */
  http2?: boolean;
  /** Accepts whole replies compressed (gzip, br), and decodes them; replies in pieces never are. Default `false`. */
  compression?: boolean;
  /** Sends `Expect: 100-continue`, and the body when the server asks for it or after a second. HTTP/1.1 alone. Default `false`. */
  expectContinue?: boolean;
  /** How a session is created, which the API description leaves open. Default: the defaults of its fields. */
  createSession?: CreateSessionOptions;
}

/** How TLS is spoken; paths are relative to the scenario file, those of flags to the working directory. */
export interface TargetTlsOptions {
  /** File of the certificate authorities to trust, PEM, one or several; in place of those of Node.js and of `NODE_EXTRA_CA_CERTS`, as of curl. Default: the authorities of Node.js. */
  ca?: string;
  /** File of the certificate to show to the service (mutual TLS), PEM, with the certificates between behind it. Default none. */
  cert?: string;
  /** File of the private key of that certificate, PEM; the pass phrase of an encrypted one comes from `CHAT_LOAD_TLS_PASSPHRASE` alone. Default none. */
  key?: string;
  /** File of both, PKCS#12 (`.p12`, `.pfx`), in place of `cert` and `key`; its pass phrase comes from `CHAT_LOAD_TLS_PASSPHRASE` alone. Default none. */
  pfx?: string;
  /** The name to ask for (SNI) and to find in the certificate. Default: the host of the base URL. */
  serverName?: string;
  /** The lowest version of TLS to speak. Default: 1.2. */
  minVersion?: '1.2' | '1.3';
  /** Offers the latest session again, as browsers, curl and Node.js do; `false` (`--no-resume`): every handshake is a full one. Default `true`. */
  resume?: boolean;
  /** Verifies no certificate: whoever is on the way can read the key and answer for the service. Default `false`. */
  insecure?: boolean;
}

export interface CreateSessionOptions {
  /** Path of the POST that creates a session, below the base URL. Default `'/api/developer/chat/sessions'`. */
  path?: string;
  /** Body of that POST; `{{agentId}}` stands for the agent. Default `{ agentId: '{{agentId}}' }`. */
  body?: Readonly<Record<string, unknown>>;
  /** Where the session id is found in the reply, as a dotted path. Default `'data.sessionId'`. */
  sessionIdFrom?: string;
}

/** What authorizes requests: one of these. */
export interface AuthOptions {
  /** A token for `Authorization: Bearer`; a template such as `{{pick users.token}}` gives every session its own. Default none. */
  bearer?: AuthText;
  /** Another header field that authorizes. Default none. */
  header?: AuthHeaderOptions;
  /** A user and a password, as `Authorization: Basic`. Default none. */
  basic?: BasicAuthOptions;
  /** Gives a token for `Authorization: Bearer`, and when it ends: `async () => ({ value, expiresAt })`. Called before the start, and again before each end. Default none. */
  token?: TokenFunction;
  /** A command that prints such a token, such as `gcloud auth print-access-token`; run without a shell, before the start and before each end. Default none. */
  command?: string;
  /** Such a token by OAuth 2.0 client credentials. Default none. */
  oauth?: OAuthOptions;
}

export interface OAuthOptions {
  /** Where tokens are obtained (the token endpoint): https, or http on this machine. Required. */
  tokenUrl: string;
  /** The id of the client. Required. */
  clientId: string;
  /** Its secret; better set in the environment than in the file. Default none. */
  clientSecret?: string;
  /** What the token is asked for, separated by spaces. Default none. */
  scope?: string;
  /** For whom it is asked, where the server wants to know. Default none. */
  audience?: string;
  /** How the client says who it is: in the `Authorization` header, or in the body. Default: `'basic'`. */
  clientAuthentication?: 'basic' | 'post';
  /** Does not verify the certificate of the token URL: anyone on the way can read the client secret. `--insecure` is for the target alone. Default `false`. */
  insecure?: boolean;
}

export interface RetryPolicyOptions {
  /** Attempts of an operation in total, including the first. Default `4`. */
  maxAttempts?: number;
  /** The outcome classes that are retried. Default `['rate_limited', 'internal_error', 'server_error', 'provider_rate_limited', 'provider_error', 'connect_failed', 'connection_lost', 'timed_out']`. */
  classes?: readonly RetryClass[];
  /** The first backoff, before jitter. Default `'500ms'`. */
  base?: Duration;
  /** What each further backoff is multiplied by. Default `2`. */
  factor?: number;
  /** The longest backoff of the policy itself; `Retry-After` may exceed it. Default `'30s'`. */
  cap?: Duration;
  /** How backoffs are randomized: not at all, from 0 up, over the upper half, or decorrelated. Default `'full'`. */
  jitter?: 'none' | 'full' | 'equal' | 'decorrelated';
  /** Waits at least as long as `Retry-After` asks. Default `true`. */
  respectRetryAfter?: boolean;
  /** With a longer `Retry-After` the operation fails at once. Default `'60s'`. */
  maxRetryAfter?: Duration;
  /** A retry budget: at most this share of attempts may be retries, over a sliding window. Default none. */
  budget?: RetryBudgetOptions;
}

export interface StopOptions {
  /** Stops the run when its first so many creations or turns all failed in a way that neither a retry nor waiting cures; `false`: never. Default `10`. */
  unusable?: false | number;
  /** Stops the run when attempts end, and no turn is ok, for this long; `false`: never. Default `'1m'`. */
  noSuccess?: false | Duration;
  /** Stops the run when every attempt ends in `connect_failed` for this long; `false`: never. Default `'30s'`. */
  targetGone?: false | Duration;
}

/** How the reference service behaves: under `embedded` of a scenario, and in the file of `chat-load serve --config`. */
export interface EmbeddedOptions {
  /** How long the scripted agent takes to reply. Default `'0ms'`. */
  latency?: DurationDistribution;
  /** Replies in progress at once; others queue in order of arrival, so that the service saturates like a real one. Default none. */
  capacity?: number | null;
  /** How replies in pieces are given. Default `{  }`. */
  stream?: EmbeddedStreamOptions;
  /** What goes wrong, and when. Default `[]`. */
  faults?: readonly FaultOptions[];
  /** What is wrong in replies that look right, and when. Default `[]`. */
  sabotage?: readonly SabotageOptions[];
  /** A token bucket per key; beyond it 429 with the matching `Retry-After`. Default none. */
  rateLimit?: RateLimitOptions | null;
  /** The most sessions remembered; beyond it the one idle longest is forgotten. Default `50000` sessions. */
  maxSessions?: number;
  /** A session idle for this long is forgotten. Default `'1h'`. */
  maxIdle?: Duration;
  /** The most turns remembered per session; beyond it the oldest except the first are forgotten. Default `1000` turns. */
  maxTurnsPerSession?: number;
  /** The most characters of conversation remembered in total; beyond it the session idle longest is forgotten. Default `100000000` characters. */
  maxStoredCharacters?: number;
  /** Picks latencies and where faults and sabotage apply: the same seed gives the same ones in the same order. Default `1`. */
  seed?: number;
  /** The `cost` of a reply. Default `0.002`. */
  costPerTurn?: number;
  /** The number of latest turns of the conversation that a reply carries. Default `20` turns. */
  conversationTurns?: number;
  /** The agents that exist; scenarios talk to the first. Default `[{ id: 'agent-support' }, { id: 'agent-chat-off', chat: false }, { id: 'agent-elsewhere', account: 'elsewhere' }]`. */
  agents?: readonly AgentOptions[];
  /** The API keys that exist; scenarios use the first. Default: built in. */
  keys?: readonly KeyOptions[];
}

export interface Stage {
  /** How long the stage lasts; 0 jumps to its level. Required. */
  duration: Duration;
  /** Closed load: sessions at a time at its end. A stage has this or `sessionsPerSecond`. Default none. */
  concurrency?: number;
  /** Open load: sessions started per second at its end. A stage has this or `concurrency`. In sessions/s. Default none. */
  sessionsPerSecond?: number;
}

export interface AuthHeaderOptions {
  /** The name of the field, such as `X-Api-Key`. Required. */
  name: string;
  /** Its value; a template gives every session one of its own. Required. */
  value: AuthText;
}

export interface BasicAuthOptions {
  /** The name of the user, without a colon. Required. */
  user: AuthText;
  /** The password. Required. */
  password: AuthText;
}

export interface TraceColumnOptions {
  /** When a request came: ISO 8601, the time of an access log, or a number in `unit`. Default: that of the form, where it is recognized. */
  at?: string;
  /** The conversation that a request belongs to; without it, each is a session of one turn. Default none. */
  session?: string;
  /** The tokens of a request. Default none. */
  inputTokens?: string;
  /** The tokens of its reply. Default none. */
  outputTokens?: string;
  /** The unit of times that are numbers. Default: told from the first time: since 1970 by its size, else seconds since the start. */
  unit?: 's' | 'ms' | 'us' | 'ns';
}

export interface RetryBudgetOptions {
  /** Retries of all attempts, as a share. Required. */
  share: number;
  /** The time that is looked back on. Default `'10s'`. */
  window?: Duration;
}

/** How the integrity guard speaks and what it looks at. */
export interface IntegrityOptions {
  /** Adds codes and tags to messages; without it the guard only looks at replies. Default `true`. */
  speak?: boolean;
  /** What it says. Default: the English of its fields. */
  words?: IntegrityWords;
  /** Where in `data` of a reply the turns so far are found, this one included: the dotted path of an array of the user's texts, or of objects with the text as `message`; `null`: nowhere. Default: `'conversation'` where the guard speaks to the embedded service, else `null`. */
  transcript?: string | null;
  /** Names of variable values whose text every reply must hold, and that of no other session. Default `[]`. */
  variables?: readonly string[];
  /** From how long an idle time on a forgotten code counts as amnesia. Default `'5m'`. */
  idle?: Duration;
}

export interface IntegrityWords {
  /** Tells the agent a code to remember; `{{code}}` stands for it. Default `'Remember this code: {{code}}'`. */
  remember?: string;
  /** Asks for that code. Default `'Which code did I tell you?'`. */
  recall?: string;
  /** Asks the agent to give a tag back; `{{tag}}` stands for it. Default `'Repeat this tag: {{tag}}'`. */
  tag?: string;
}

/** A gate that is also judged while the run goes on, or by more than the figure itself. */
export interface GateOptions {
  /** The condition, such as `'< 5%'`. Required. */
  gate: string;
  /** Whether the run is stopped as soon as it fails. Default `false`. */
  abort?: boolean;
  /** How much is to be measured before it is first judged, from the end of the warm-up. Default `'0s'`. */
  after?: Duration;
  /** Whether the 95 % interval of the percentile has to hold, not the percentile alone: with `<` its upper end, with `>` its lower end. A run too short for an interval fails it. Not together with `abort`. Default `false`. */
  confident?: boolean;
}

export interface RateLimitOptions {
  /** Exchanges a second. Required. */
  perSecond: number;
  /** Exchanges at once after a quiet time. Default: as many as in a second, at least 1. */
  burst?: number;
}

export interface EmbeddedStreamOptions {
  /** The time from the request to the first piece of a streamed reply, in place of `latency`. Default: `embedded.latency`. */
  firstToken?: DurationDistribution;
  /** The time between two pieces. Default `'0ms'`. */
  gap?: DurationDistribution;
  /** The exact number of pieces of every reply of the APIs that stream, whole ones too: filler words follow a short text, and the last piece takes the rest of a long one. Default none. */
  pieces?: number | null;
  /** The number of pieces of reasoning before the text. Default `0` pieces. */
  reasoning?: number;
  /** The number of events that go out in one write, as through a proxy that gathers them. Default `1` events. */
  flushEvery?: number;
  /** What becomes of a reply whose client leaves before its end: the agent stops, or goes on to the end for nobody. Default `'stop'`. */
  onLeave?: 'stop' | 'continue';
}

export interface AgentOptions {
  /** Identifier of the agent. Required. */
  id: string;
  /** The account that owns it. Default `'main'`. */
  account?: string;
  /** Whether chat is enabled. Default `true`. */
  chat?: boolean;
  /** The agent's instructions; `{{name}}` is a variable, whose value every message must provide. Default `'You are a friendly support agent. You are talking to {{customerName}} about order {{orderNumber}}. Answer briefly.'`. */
  instructions?: string;
}

export interface KeyOptions {
  /** The API key, as clients send it. Required. */
  key: string;
  /** The account it belongs to. Default `'main'`. */
  account?: string;
  /** Only a `developer` key may use the chat API: any other kind is the wrong type, 403. Default `'developer'`. */
  kind?: 'developer' | 'widget';
}

// end of options

/** Conditions by the name of a metric. */
export type Gates = { readonly [Name in MetricName]?: string | GateOptions };

/** Returns the cost of a reply that keeps the contract, from its `data`; never a promise. */
export type ReplyCost = (data: Readonly<Record<string, unknown>>) => number;

export type TurnOptions =
  | number
  | { min: number; max: number }
  /** Normal, rounded, at least 1. */
  | { mean: number; sd: number }
  /** Shares of turn counts, such as `{ '1': 35, '2': 25, '3-4': 40 }`; within a range every count is equally likely. */
  | { weights: Readonly<Record<string, number>> }
  | TurnPreset;
type TurnPreset = 'public-mix' | 'support-agent';
export type ThinkTimeOptions = DurationDistribution | 'chat';

/** A credential: text, a template, or a function; one that differs by session is an identity of that session. */
export type AuthText = string | ((context: TemplateContext) => string);

/** A token that authorizes. */
export interface GivenToken {
  /** The token itself. */
  value: string;
  /** When it ends: a date, its ISO 8601 text, or milliseconds since 1970. Default: as a JWT says it itself, else not known. */
  expiresAt?: Date | string | number | undefined;
}

/** Obtains a token. Outside the hot path: before the start, and ahead of each end. */
export type TokenFunction = () => GivenToken | Promise<GivenToken>;

export type RetryOptions = RetryPolicyOptions | 'none' | Readonly<Record<string, RetryPolicyOptions | 'none'>>;

/** The class of an attempt that failed. */
export type RetryClass = FailedClass;

export type DataLists = Readonly<Record<string, DataList>>;

/** Rows, here or in a file beside the scenario. `weight` names the field by which they are picked; without it all are equally likely. */
export type DataList =
  | readonly unknown[]
  | { readonly rows: readonly unknown[]; readonly weight?: string }
  | { readonly file: string; readonly weight?: string };

/** A template, a plain JSON value, a function, or arrays and objects of them. */
export type ValueTemplate<Lists extends DataLists = DataLists> =
  | string
  | number
  | boolean
  | null
  | ValueFunction<Lists>
  | readonly ValueTemplate<Lists>[]
  | { readonly [key: string]: ValueTemplate<Lists> };

/** The value of a header field: a template, or a function, which leaves the field out with null or undefined. */
export type HeaderValue = string | number | boolean | ((context: TemplateContext) => unknown);

/** Called once a session, or once a turn when it reads `turn`. Gives a value, never a promise: no run waits for one. */
export type ValueFunction<Lists extends DataLists = DataLists> = (context: TemplateContext<Lists>) => unknown;
export type MessageFunction<Lists extends DataLists = DataLists> = (context: MessageContext<Lists>) => string;

/** A turn of a session. */
export interface MessageTurn {
  /** From 1. */
  readonly number: number;
  /** With `load.trace`, the tokens that its message had when it was recorded. Default: none is said. */
  readonly inputTokens?: number | undefined;
}

/** What a function in place of a template is given. Everything in it depends on the seed and the session alone. */
export interface TemplateContext<Lists extends DataLists = DataLists> {
  /** The session, counted from 1. */
  readonly session: { readonly number: number };
  /** The turn within it, counted from 1; turns that say what tools gave belong to the message before. */
  readonly turn: MessageTurn;
  /** Draws from [0, 1). */
  random: () => number;
  /** The row of a list that belongs to this session: the same wherever that list is used. */
  pick: <Name extends keyof Lists & string>(list: Name) => RowOf<Lists[Name]>;
}

/** A list, of which turn k takes message k, cyclically; one function of the turn; a script that branches; or conversations of a file. */
export type MessageOptions<Lists extends DataLists = DataLists> =
  readonly (string | MessageFunction<Lists>)[] | MessageFunction<Lists> | ConversationScript<Lists> | ConversationFile;

/** A conversation in which what is said depends on what is replied. */
export interface ConversationScript<Lists extends DataLists = DataLists> {
  /** Opens the conversation. */
  first: string | MessageFunction<Lists>;
  /** Gives every message behind it. */
  next: NextMessage<Lists>;
}

/**
 * Called when a turn has ended: returns the next message, or null or undefined when the user has what was wanted, which
 * ends the session. Never a promise. What it throws ends the run. Its draws belong to the session and the turn.
 */
export type NextMessage<Lists extends DataLists = DataLists> = (
  reply: HeardReply,
  context: NextContext<Lists>,
) => string | null | undefined;

/**
 * Called when a reply calls the tool: what it returns is said in the session's next turn, a text as it is, anything else
 * as JSON. Never a promise. What it throws ends the run.
 */
export type ToolFunction<Lists extends DataLists = DataLists> = (
  given: ToolArguments,
  context: MessageContext<Lists>,
) => unknown;

/** What a reply calls a tool with, read from its JSON. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a turn came to, as its user sees it. */
export interface HeardReply {
  /** What the agent said; of a reply that its user left, as much as had come; '' for other outcomes than `ok`. */
  readonly text: string;
  /** Another one than `ok` is seen with `onFailedTurn: 'continue'` only, and `abandoned` where users leave. */
  readonly outcome: FinishedClass;
  /** The tokens that the reply says it took. */
  readonly usage: Readonly<Usage> | undefined;
}

/** What `next` is given beside the reply; `turn` is the one that it speaks for. */
export interface NextContext<Lists extends DataLists = DataLists> extends MessageContext<Lists> {
  /** The messages so far, without what the integrity guard added to them. */
  readonly said: readonly string[];
}

export interface MessageContext<Lists extends DataLists = DataLists> extends TemplateContext<Lists> {
  /** The variable values of this turn. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/**
 * Judges the text of a reply: true when it passes, false or the reason in words when it does not. One that throws has
 * failed, with what it threw as the reason. Never a promise, which ends the run.
 */
export type ReplyCheck = (reply: string, context: ReplyContext) => boolean | string;

export interface ReplyContext {
  /** The session, counted from 1. */
  readonly session: { readonly number: number };
  /** The turn within it, counted from 1. */
  readonly turn: { readonly number: number };
  /** What was said; '' in a turn that says what tools gave. */
  readonly message: string;
}

type RowOf<List> = List extends readonly (infer Row)[] | { readonly rows: readonly (infer Row)[] }
  ? Row
  : Readonly<Record<string, string>>;
