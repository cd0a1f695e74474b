import ts from 'typescript';

/** Kind of a text: a comment, a string of the source that people read, or a sentence of a Markdown page. */
export type TextKind = 'comment' | 'string' | 'prose' | 'identifier';

/** A sentence or name that people read, with its place. */
export interface ReadText {
  kind: TextKind;
  file: string;
  line: number;
  text: string;
}

/** Returns the comments, the strings with at least two words, and the names of identifiers of a TypeScript file. */
export function textsOfSource(file: string, source: string): ReadText[] {
  const parsed = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: ReadText[] = [];
  const add = (kind: TextKind, position: number, text: string): void => {
    found.push({ kind, file, line: parsed.getLineAndCharacterOfPosition(position).line + 1, text });
  };
  const seen = new Set<number>();
  const addComments = (ranges: readonly ts.CommentRange[] = []): void => {
    for (const { pos, end } of ranges.filter((range) => !seen.has(range.pos))) {
      seen.add(pos);
      add('comment', pos, commentText(source.slice(pos, end)));
    }
  };
  const visit = (node: ts.Node): void => {
    addComments(ts.getLeadingCommentRanges(source, node.getFullStart()));
    addComments(ts.getTrailingCommentRanges(source, node.end));
    if (ts.isIdentifier(node)) add('identifier', node.getStart(), node.text);
    else if (isProse(node)) add('string', node.getStart(), node.text);
    node.forEachChild(visit);
  };
  visit(parsed);
  return found;
}

/** Returns the lines of a Markdown page without code. */
export function textsOfPage(file: string, page: string): ReadText[] {
  let isCode = false;
  return page.split('\n').flatMap((text, at): ReadText[] => {
    if (/^\s*(```|~~~)/.test(text)) isCode = !isCode;
    return isCode ? [] : [{ kind: 'prose', file, line: at + 1, text: text.replaceAll(/`[^`]*`/g, '``') }];
  });
}

const commentText = (comment: string): string =>
  comment
    .replaceAll(/^\/\*\*?|\*\/$|^\/\//g, '')
    .replaceAll(/^\s*\* ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const isProse = (node: ts.Node): node is ts.StringLiteral | ts.TemplateLiteralLikeNode | ts.JsxText =>
  (ts.isStringLiteralLike(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isTemplateHead(node) ||
    ts.isJsxText(node)) &&
  !ts.isImportDeclaration(node.parent) &&
  /[a-z],? [a-z]/i.test(node.text);
