/** Waits for all of these to settle, but no longer than so many milliseconds. What fails is of no consequence here. */
export async function withinMs(mostMs: number, all: readonly Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, mostMs)));
  await Promise.race([Promise.allSettled(all), over]);
  clearTimeout(timer);
}
