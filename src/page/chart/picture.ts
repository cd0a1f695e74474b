import { colorOf } from './palette.ts';

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
