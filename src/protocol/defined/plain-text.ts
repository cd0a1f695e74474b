import { refused } from '../classify-whole.ts';
import type { Finder } from './author-error.ts';

/** Finds the body itself, which is text. */
export const itself: Finder = { find: (body) => body, describe: () => '' };

/** Reports whether a text is the start of an HTML page. */
export function isHtmlPage(text: string): boolean {
  return /^(?:<[?!][^>]{0,500}>\s*){0,3}(?:<!doctype html|<html|<head)(?![\w-])/i.test(text.trimStart());
}

export const htmlPage = refused('malformed', 'an HTML page instead of text, such as that of a login or a firewall');
