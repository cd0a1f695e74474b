import { parseArgs, type ParseArgsConfig } from 'node:util';

/** Options of curl with a value that are read, remarked or refused, with their short forms. */
const valued =
  'request:X header:H data:d data-ascii data-binary data-raw json user:u oauth2-bearer cookie:b cookie-jar:c user-agent:A ' +
  'referer:e url proxy:x cacert cert:E key resolve data-urlencode form:F form-string upload-file:T config:K';

/** Options with a value that concern the connection or the output. */
const valuedTransport =
  'output:o output-dir max-time:m connect-timeout retry retry-delay retry-max-time write-out:w dump-header:D stderr ' +
  'trace trace-ascii trace-config limit-rate speed-limit:Y speed-time:y keepalive-time keepalive-cnt interface ' +
  'dns-servers dns-interface dns-ipv4-addr dns-ipv6-addr doh-url local-port connect-to unix-socket abstract-unix-socket ' +
  'preproxy proxy-user:U proxy-header proxy-cacert noproxy socks4 socks4a socks5 socks5-hostname capath cert-type ' +
  'key-type pass ciphers tls13-ciphers tls-max curves pinnedpubkey max-redirs max-filesize expect100-timeout ' +
  'happy-eyeballs-timeout-ms alt-svc hsts libcurl etag-save create-file-mode proto proto-default proto-redir range:r ' +
  'time-cond:z rate';

const switches =
  'insecure:k location:L location-trusted http1.0:0 http1.1 http2 http2-prior-knowledge http3 http3-only get:G head:I ' +
  'no-buffer:N buffer silent:s show-error:S include:i show-headers verbose:v fail:f fail-with-body fail-early ' +
  'compressed compressed-ssl tr-encoding globoff:g no-progress-meter progress-bar:# ipv4:4 ipv6:6 tlsv1:1 tlsv1.0 ' +
  'tlsv1.1 tlsv1.2 tlsv1.3 ssl ssl-reqd ssl-no-revoke ssl-revoke-best-effort ssl-allow-beast keepalive no-keepalive ' +
  'alpn no-alpn no-npn sessionid no-sessionid tcp-nodelay tcp-fastopen mptcp path-as-is raw remote-name:O ' +
  'remote-header-name:J remote-time:R create-dirs clobber no-clobber retry-all-errors retry-connrefused disable:q ' +
  'basic anyauth junk-session-cookies:j post301 post302 post303 suppress-connect-headers styled-output ' +
  'no-styled-output trace-time trace-ids proxy-insecure proxytunnel:p cert-status false-start disallow-username-in-url';

const optionsOf = (names: string, type: 'string' | 'boolean'): NonNullable<ParseArgsConfig['options']> =>
  Object.fromEntries(
    names.split(' ').map((each) => {
      const [name = '', short] = each.split(':');
      return [name, { type, multiple: true, ...(short !== undefined && { short }) }];
    }),
  );
const options = { ...optionsOf(`${valued} ${valuedTransport}`, 'string'), ...optionsOf(switches, 'boolean') };

interface CurlWords {
  /** Values of each option, in their order. */
  readonly values: Readonly<Record<string, readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** Parses the words of a curl command. Throws the error of `parseArgs`. */
export function parseCurl(words: readonly string[]): CurlWords {
  const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
  return { values: values as CurlWords['values'], positionals };
}

/** Remarks about options that are not taken over. */
export const curlRemarks: Readonly<Record<string, string>> = {
  insecure:
    'certificates are verified, unlike with curl -k; --ca names a private authority, --insecure skips the verification',
  location: 'redirects are not followed, unlike with curl -L',
  proxy: 'the proxy of curl -x is not taken over: set --proxy',
  cacert: 'the file of curl --cacert is not taken over: set --ca',
  cert: 'the certificate of curl --cert is not taken over: set target.tls',
  resolve: 'the address of curl --resolve is not taken over: set --resolve',
  'connect-to': 'the address of curl --connect-to is not taken over: set --resolve',
  'unix-socket': 'the socket of curl --unix-socket is not taken over: set --unix-socket',
  http2: 'HTTP/2 is not taken over: set --http2',
};

/** Options that send something else than JSON, a form or a query. */
export const refusedOptions = ['upload-file', 'config', 'head'];
