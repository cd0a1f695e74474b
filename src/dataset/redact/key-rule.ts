import type { PersonalRule } from './personal.ts';

/** Keys of services, by the beginnings that their issuers give them; tokens, and private keys in PEM. */
export const keyRule: PersonalRule = {
  kind: 'key',
  needs: /sk[-_]|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|AKIA|ASIA|AIza|hf_|eyJ|PRIVATE KEY|[Bb]earer |npm_|rk_/,
  expression: new RegExp(
    [
      'sk-[A-Za-z0-9_-]{20,200}',
      '[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}',
      'gh[pousr]_[A-Za-z0-9]{36,255}',
      'github_pat_[A-Za-z0-9_]{36,255}',
      'glpat-[A-Za-z0-9_-]{20,200}',
      'xox[abeprs]-[A-Za-z0-9-]{10,200}',
      '(?:AKIA|ASIA)[A-Z0-9]{16}',
      'AIza[A-Za-z0-9_-]{35}',
      'hf_[A-Za-z0-9]{30,200}',
      'npm_[A-Za-z0-9]{36}',
      'eyJ[A-Za-z0-9_-]{8,2000}\\.eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,1000}',
      '(?<=[Bb]earer )[A-Za-z0-9._~+/-]{20,2000}',
    ]
      .map((form) => `(?<![A-Za-z0-9_])${form}(?![A-Za-z0-9_])`)
      .concat('-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,10000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?')
      .join('|'),
    'g',
  ),
  // A word with hyphens, as the name of a file or a style may be, has no digits.
  valueOf: (match) => (/\d/.test(match) || match.startsWith('-----') ? match : undefined),
};
