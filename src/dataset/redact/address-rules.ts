import type { PersonalRule } from './personal.ts';

export const mailRule: PersonalRule = {
  kind: 'mail',
  needs: /@/,
  expression:
    /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}_%+-][\p{L}\p{N}._%+-]{0,63}@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}-])/gu,
  valueOf: (match) => (/\.(?:png|jpe?g|gif|svg|webp|css|js|ts)$/i.test(match) ? undefined : match.toLowerCase()),
};

/** Addresses of the internet; those of private networks, of one's own machine and of masks say nothing about anybody. */
export const ipRule: PersonalRule = {
  kind: 'ip',
  needs: /\d\.\d|:[0-9a-f]{0,4}:/i,
  expression:
    /(?<![\w.:/-])(?:\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)|(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){1,6}(?![\w:.]))/gi,
  valueOf: (match, before) =>
    match.includes(':')
      ? ipv6Of(match)
      : isPublicIpv4(match) && !/\b(?:v|version|release|section|§)\s*$/i.test(before)
        ? match
        : undefined,
};

function isPublicIpv4(match: string): boolean {
  const parts = match.split('.').map(Number);
  const [a = 0, b = 0, , d = 0] = parts;
  if (parts.some((part) => part > 255) || /(?:^|\.)0\d/.test(match)) return false;
  if ([0, 10, 127, 255].includes(a) || a >= 224 || d === 0) return false;
  return !((a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31) || (a === 169 && b === 254));
}

/** Not a time, a range or the scope of a name in code: eight groups, or fewer with a gap; digits and letters. */
function ipv6Of(match: string): string | undefined {
  const [head = '', tail, ...more] = match.toLowerCase().split('::');
  const groups = [head, tail ?? ''].flatMap((side) => (side === '' ? [] : side.split(':')));
  const isWhole =
    tail === undefined ? groups.length === 8 : more.length === 0 && groups.length >= 3 && groups.length <= 7;
  const isAddress = isWhole && /\d/.test(match) && groups.every((group) => /^[0-9a-f]{1,4}$/.test(group));
  return isAddress && groups.some((group) => group.length > 2) ? match.toLowerCase() : undefined;
}
