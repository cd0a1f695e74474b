/** Hands a file to the reader, as a download. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies a picture; saves it as a file where the browser does not let pages copy. Gives what was done, in words. */
export async function copyPicture(name: string, canvas: HTMLCanvasElement): Promise<string> {
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (picture === null) return 'The browser gave no picture.';
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    return 'Copied as PNG.';
  } catch {
    saveFile(name, picture);
    return `Saved as ${name}: the browser does not let this page copy.`;
  }
}
