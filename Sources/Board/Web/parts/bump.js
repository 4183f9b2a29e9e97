import { s } from '../lib/dom.js';
import { shortDay, tinyDay, yearMonth } from '../lib/format.js';
import { langOf, t, titleOf } from '../lib/words.js';
import { axisLabel, drawing, fitting, label, path, scale, tints } from './drawing.js';

const places = 10;
/** How many movies the Tab key stops at; the table has all of them. */
const stops = 30;

/**
 * Draws ranks over days: a line a movie in its own colour, the title at its end, and a mark for the selected one. Movies
 * beyond those with a colour are grey. Lines can be selected with the keyboard.
 */
export function bumpDrawing({ step, days, movies }, width, pick) {
  const height = 420;
  const [left, right, top, bottom] = [34, width > 640 ? 150 : 14, 16, height - 30];
  const x = scale([0, Math.max(1, days.length - 1)], [left + 10, width - right - 10]);
  const y = scale([1, places], [top + 8, bottom - 12]);
  const steps = Math.max(1, Math.ceil(days.length / Math.max(2, Math.floor((width - left - right) / (step === 'week' ? 100 : 78)))));
  const shown = movies.filter((movie) => movie.points.some(([, rank]) => rank !== null && rank <= places));
  const lines = shown.map((movie, index) => {
    const points = [];
    let before = null;
    for (const [day, rank] of movie.points) {
      if (before !== null && day - before > 1) points.push(null);
      points.push(rank !== null && rank <= places ? [x(day), y(rank)] : null);
      before = day;
    }
    const [lastDay, lastRank] = movie.points.at(-1);
    const isLast = lastDay === days.length - 1 && width > 640;
    const group = s('g', {
      class: `movie ${index < tints ? `tint${index}` : days.length > 62 ? 'rest faint' : 'rest'}`, tabindex: index < stops ? '0' : '-1', role: 'button', 'data-code': movie.code,
      'aria-label': t('history.movieLine', titleOf(movie), Math.min(...movie.points.map((point) => point[1] ?? places))),
      onclick: () => pick(movie.code),
      onkeydown: (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pick(movie.code); } },
    },
    s('title', { lang: langOf(titleOf(movie)) }, titleOf(movie)),
    s('path', { class: 'reach', d: path(points) }),
    s('path', { class: 'line', d: path(points) }),
    days.length <= 62 ? points.filter(Boolean).map(([px, py]) => s('circle', { class: 'point', cx: px.toFixed(1), cy: py.toFixed(1), r: 3.500 })) : [],
    isLast && lastRank && lastRank <= places ? label(width - right + 2, y(lastRank) + 4, fitting(titleOf(movie), right - 14), { class: 'name', lang: langOf(titleOf(movie)) }) : null);
    return group;
  });
  return drawing(width, height, t('history.bumpLabel', days.length ? shortDay(days[0]) : '', days.length ? shortDay(days.at(-1)) : ''),
    Array.from({ length: places }, (_, index) => [
      s('line', { class: 'rule faint', x1: left, x2: width - right, y1: y(index + 1), y2: y(index + 1) }),
      label(left - 8, y(index + 1) + 4, index + 1, { class: 'axis', 'text-anchor': 'end' }),
    ]),
    days.filter((_, index) => index % steps === 0).map((day, index) =>
      axisLabel(x(index * steps), height - 8, step === 'week' ? yearMonth(day) : tinyDay(day), width)),
    // Lines with a colour are drawn above the grey ones.
    lines.reverse());
}
