import { useEffect, useState } from 'preact/hooks';

/** Opens folds while the page is printed; returns the function that stops it. */
export function openFoldsOnPaper(): () => void {
  let opened: HTMLDetailsElement[] = [];
  const open = (): void => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('details.fold:not([open])')];
    for (const fold of opened) fold.open = true;
  };
  const close = (): void => {
    for (const fold of opened.splice(0)) fold.open = false;
  };
  window.addEventListener('beforeprint', open);
  window.addEventListener('afterprint', close);
  return () => {
    window.removeEventListener('beforeprint', open);
    window.removeEventListener('afterprint', close);
  };
}

/** Opens the folded section that the hash of the address or a clicked link points at; returns the function that stops it. */
export function openFoldsAtHash(): () => void {
  const openAt = (hash: string): void => {
    const target = hash.length < 2 ? null : document.getElementById(hash.slice(1));
    const fold = target?.querySelector<HTMLDetailsElement>(':scope > details.part') ?? target?.closest('details.part');
    if (!(fold instanceof HTMLDetailsElement) || fold.open) return;
    fold.open = true;
    target?.scrollIntoView();
  };
  const onHash = (): void => openAt(location.hash);
  // A second click on a link does not change the hash.
  const onClick = ({ target }: MouseEvent): void => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null;
    if (link !== null) openAt(link.hash);
  };
  onHash();
  window.addEventListener('hashchange', onHash);
  document.addEventListener('click', onClick);
  return () => {
    window.removeEventListener('hashchange', onHash);
    document.removeEventListener('click', onClick);
  };
}

/** Reports whether the page is as narrow as a phone; A4 is wider. */
export function useIsNarrow(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 600px)'));
  const [isNarrow, set] = useState(query.matches);
  useEffect(() => {
    const changed = (): void => set(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, [query]);
  return isNarrow;
}
