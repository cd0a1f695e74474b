import { describe, expect, test } from 'vitest';
import { basicCredentials, isForwarded, proxyUrl, readProxyServer } from './proxy-server.ts';

describe('the URL of a proxy', () => {
  test.each([
    ['proxy:3128', 'http', 'proxy', 3128, 'http://proxy:3128'],
    ['http://proxy', 'http', 'proxy', 80, 'http://proxy:80'],
    ['https://proxy/', 'https', 'proxy', 443, 'https://proxy:443'],
    ['socks5://[::1]', 'socks5', '::1', 1080, 'socks5://[::1]:1080'],
    ['SOCKS5H://proxy:9', 'socks5h', 'proxy', 9, 'socks5h://proxy:9'],
  ])('%s is read', (text, scheme, host, port, name) => {
    expect(readProxyServer(text)).toEqual({ scheme, host, port, name, credentials: undefined });
  });

  test('has its credentials decoded, apart from its name, and is written back', () => {
    const server = readProxyServer('http://m%C3%A9:p%40ss%3A%25@proxy:1');
    expect(server).toMatchObject({ name: 'http://proxy:1', credentials: { user: 'mé', password: 'p@ss:%' } });
    expect(readProxyServer(proxyUrl(server))).toEqual(server);
    expect(basicCredentials({ user: 'me', password: 'secret' })).toBe('Basic bWU6c2VjcmV0');
  });

  test.each([
    ['', 'it is not a URL'],
    ['http://', 'it is not a URL'],
    ['socks4://hidden-word@proxy', 'socks4:// is not a scheme of a proxy'],
    ['ftp://proxy', 'ftp:// is not a scheme'],
    ['http://me:hidden-word/x@proxy', 'it is not a URL'],
    ['http://me:hidden-word@proxy/path', 'no path'],
    ['http://proxy?x', 'no query'],
    ['http://proxy:0', 'no port 0'],
    ['http://me:hidden-word%@proxy', 'write %25 for %'],
    ['http://a%3Ab:hidden-word@proxy', 'colon'],
    ['socks5://me@proxy', 'of 1 to 255 bytes'],
    [`socks5://me:${'hidden-word'.repeat(30)}@proxy`, 'of 1 to 255 bytes'],
  ])('%s is rejected, without revealing its secrets', (text, words) => {
    expect(() => readProxyServer(text)).toThrow(words);
    expect(() => readProxyServer(text)).toThrow(/^((?!hidden-word).)*$/);
  });

  test('reports whether requests are forwarded or tunnelled', () => {
    const forwarded = (target: string, proxy: string): boolean => isForwarded(new URL(target), readProxyServer(proxy));
    expect(forwarded('http://x', 'http://p') && forwarded('http://x', 'https://p')).toBe(true);
    expect(forwarded('https://x', 'http://p') || forwarded('http://x', 'socks5://p')).toBe(false);
  });
});
