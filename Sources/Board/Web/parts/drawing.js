import { s } from '../lib/dom.js';

/** Eight colours that most people can distinguish on a light and a dark background; all further movies are grey. */
export const tints = 8;

/** A scale from one range to another. */
export const scale = ([from, to], [start, end]) => (value) =>
  from === to ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start);

/** Round numbers from 0 to a little over `most`, about `count` of them. */
export function ticks(most, count = 4) {
  if (!(most > 0)) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.500, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

/** A path through points; a point that is null breaks it. */
export function path(points) {
  let isPen = false;
  return points.map((point) => {
    if (!point) { isPen = false; return ''; }
    const command = isPen ? 'L' : 'M';
    isPen = true;
    return `${command}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
  }).join('');
}

/** A drawing with a sentence for screen readers; a drawing with parts that can be selected has the role of a group. */
export function drawing(width, height, label, ...content) {
  const svg = s('svg', { class: 'drawing', viewBox: `0 0 ${width} ${height}`, width, height, 'aria-label': label }, content);
  svg.setAttribute('role', svg.querySelector('a, [tabindex]') ? 'group' : 'img');
  return svg;
}

export const label = (x, y, text, attributes = {}) => s('text', { x: x.toFixed(1), y: y.toFixed(1), ...attributes }, text);

/** The width of a text in the drawings' font size, about: a Korean letter is as wide as two others. */
export const textWidth = (text) => [...String(text)].reduce((sum, letter) => sum + letterWidth(letter), 0);
const letterWidth = (letter) => (letter > '\u10ff' ? 12.500 : 7.500);

/** A label below a place of an axis, moved where it would reach beyond a drawing of this width. */
export function axisLabel(x, y, text, width) {
  const half = textWidth(text) / 2;
  return label(Math.max(half, Math.min(x, width - half)), y, text, { class: 'axis', 'text-anchor': 'middle' });
}

/** The part of a text that fits into a width, in the drawings' font size. */
export function fitting(text, width) {
  let used = 0;
  const end = [...text].findIndex((letter) => (used += letterWidth(letter)) > width);
  return end < 0 ? text : `${[...text].slice(0, end - 1).join('')}…`;
}

const kept = ['fill', 'paint-order', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity', 'font-size', 'font-weight', 'font-family', 'text-anchor'];

/** The drawing as an SVG file of its own, with its styles written into it. */
export function standalone(svg) {
  const copy = svg.cloneNode(true);
  const [originals, copies] = [svg, copy].map((root) => [root, ...root.querySelectorAll('*')]);
  originals.forEach((original, index) => {
    const style = getComputedStyle(original);
    for (const name of kept) copies[index].setAttribute(name, style.getPropertyValue(name));
    copies[index].removeAttribute('class');
    copies[index].removeAttribute('tabindex');
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', width);
  copy.setAttribute('height', height);
  copy.prepend(s('rect', { width, height, fill: getComputedStyle(document.documentElement).backgroundColor }));
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' });
}

/** The drawing as a PNG of twice its size. */
export async function png(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const url = URL.createObjectURL(standalone(svg));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: width * 2, height: height * 2 });
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, 'image/png'));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Lets the browser save a file. */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
