import { s } from '../lib/dom.js';
import { t } from '../lib/words.js';

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

/** The height of a line of text in a saved drawing, and what is left free at its edges. */
const [lineHeight, edge] = [20, 16];

/** The places of a drawing's keys, one after the other, in as many lines as they need. */
function keyPlaces(keys, width) {
  let [x, line] = [0, 0];
  return keys.map(({ kind, text }) => {
    const shown = fitting(text, width - 18);
    const needed = 18 + textWidth(shown);
    if (x > 0 && x + needed > width) [x, line] = [0, line + 1];
    const place = { kind, text: shown, x, line };
    x += needed + 14;
    return place;
  });
}

/** The drawing with what the page says beside it: title and period above, keys to its colours and the source below. */
function framed(svg, { title, period, keys = [] }) {
  const { width: inner, height } = svg.viewBox.baseVal;
  const top = edge + 2 * lineHeight + 12;
  const places = keyPlaces(keys, inner);
  const lines = places.length ? places.at(-1).line + 1 : 0;
  const y = (line) => top + height + (line + 1) * lineHeight;
  const total = y(lines) + edge;
  const copy = svg.cloneNode(true);
  for (const [name, value] of Object.entries({ x: edge, y: top, width: inner, height })) copy.setAttribute(name, value);
  return drawing(inner + 2 * edge, total, `${title} · ${period}`,
    s('rect', { class: 'paper', width: inner + 2 * edge, height: total }),
    label(edge, edge + lineHeight - 4, title, { class: 'heading' }),
    label(edge, edge + 2 * lineHeight - 2, period, {}),
    copy,
    places.map(({ kind, text, x, line }) => [
      s('rect', { class: `key ${kind}`, x: edge + x, y: y(line) - 10, width: 12, height: 12, rx: 3 }),
      label(edge + x + 18, y(line), text, {}),
    ]),
    label(edge, y(lines), `${t('footer.source')} · marquee`, {}));
}

/** The drawing with its frame, which needs no style sheet. */
function styled(svg, frame) {
  const whole = framed(svg, frame);
  // Among the drawings of the page, whose styles it then has; it is gone before anything is drawn.
  svg.after(whole);
  const parts = [whole, ...whole.querySelectorAll('*')];
  const styles = parts.map((part) => kept.map((name) => getComputedStyle(part).getPropertyValue(name)));
  whole.remove();
  parts.forEach((part, index) => {
    kept.forEach((name, at) => part.setAttribute(name, styles[index][at]));
    for (const name of ['class', 'tabindex']) part.removeAttribute(name);
  });
  whole.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return whole;
}

const file = (svg) => new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' });

/** The drawing as an SVG file, with its title, period, keys and source. */
export const standalone = (svg, frame) => file(styled(svg, frame));

/** The same as a PNG of twice the size. */
export async function png(svg, frame) {
  const whole = styled(svg, frame);
  const { width, height } = whole.viewBox.baseVal;
  const url = URL.createObjectURL(file(whole));
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
