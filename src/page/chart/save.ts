import { colorOf } from './shapes.ts';

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

const margin = 16;
const titleHeight = 28;

/** What is drawn in an element, canvas or SVG, as a picture with its title above. */
export async function pictureOf(title: string, place: Element | null): Promise<HTMLCanvasElement> {
  const drawn = place?.querySelector('canvas') ?? place?.querySelector('svg') ?? null;
  if (drawn === null) throw new Error('nothing is drawn');
  const { width, height } = drawn.getBoundingClientRect();
  const canvas = document.createElement('canvas');
  const scale = Math.max(2, devicePixelRatio);
  canvas.width = (width + 2 * margin) * scale;
  canvas.height = (height + titleHeight + 2 * margin) * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('the browser draws no canvas');
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

/** What a style sheet says of these is lost outside the page. */
const kept = [
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
    for (const name of kept) copies[index]?.setAttribute(name, style.getPropertyValue(name));
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

/** The figures behind a chart: what its table shows, and what is saved as CSV. Cells of numbers are not rounded. */
export interface Sheet {
  columns: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
}

/** A sheet as CSV (RFC 4180). A text that a spreadsheet would take for a formula is kept a text. */
export function csvOf({ columns, rows }: Sheet): string {
  return [columns, ...rows].map((row) => row.map(cellOf).join(',')).join('\r\n');
}

function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
