/** Returns the share that a text such as `15%` or `2.5 %` states; `undefined` if it is not a percentage above zero. */
export function readShare(text: string): number | undefined {
  const share = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1] ?? NaN) / 100;
  return share > 0 ? share : undefined;
}
