import { colorOf } from './shapes.ts';

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies a picture, or saves it as a file if the browser does not allow copying. Returns a message for the reader. */
export async function copyPicture(name: string, canvas: HTMLCanvasElement): Promise<string> {
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (picture === null) return 'The browser could not create a picture.';
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
    return 'Copied as PNG.';
  } catch {
    saveFile(name, picture);
    return `Saved as ${name}: the browser does not let this page copy.`;
  }
}

const margin = 16;
const titleHeight = 28;

/** Draws the canvas or SVG of an element as a picture with a title. */
export async function pictureOf(title: string, element: Element | null): Promise<HTMLCanvasElement> {
  const drawn = element?.querySelector('canvas') ?? element?.querySelector('svg') ?? null;
  if (drawn === null) throw new Error('the element contains no chart');
  const { width, height } = drawn.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  const scale = Math.max(2, devicePixelRatio);
  canvas.width = (width + 2 * margin) * scale;
  canvas.height = (height + titleHeight + 2 * margin) * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser does not support canvas');
  context.scale(scale, scale);
  context.fillStyle = colorOf('surface');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = colorOf('text');
  context.font = '600 15px system-ui, sans-serif';
  context.fillText(title, margin, margin + 14);
  const image = drawn instanceof HTMLCanvasElement ? drawn : await imageOf(drawn);
  context.drawImage(image, margin, margin + titleHeight, width, height);
  return canvas;
}

/** Style properties to copy, because an image has no style sheet. */
const copiedProperties = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-opacity',
  'opacity',
  'font-size',
  'font-family',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
] as const;

async function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [sources, copies] = [
    [svg, ...svg.querySelectorAll('*')],
    [copy, ...copy.querySelectorAll('*')],
  ];
  for (const [index, source] of sources.entries()) {
    const style = getComputedStyle(source);
    for (const name of copiedProperties) copies[index]?.setAttribute(name, style.getPropertyValue(name));
  }
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  return image;
}

/** Data of a chart for its table and for CSV. Numbers are not rounded. */
export interface Sheet {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** Formats a sheet as CSV (RFC 4180). Texts that a spreadsheet would run as formulas get a leading apostrophe. */
export function csvOf({ columns, rows }: Sheet): string {
  return [columns, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n');
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
