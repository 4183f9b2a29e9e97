import { s } from '../lib/dom.js';
import { between, plus, weekday } from '../lib/dates.js';
import { admissions, compact, count, monthName, shortDay, sumOfKnown, tinyDay, weekdayName, yearMonth } from '../lib/format.js';
import { t, titleOf } from '../lib/words.js';
import { axisLabel, drawing, label, scale, textWidth, ticks, tints } from './drawing.js';

/**
 * Audience by week: the first days of the weeks, how many days of each are in the range and of how many of these the charts
 * are known, and a layer of sums for each movie with a colour and one for the others.
 */
export function weekSums({ from, to, days, knownDays, movies }) {
  const starts = [...new Set(days.map((day) => plus(day, -weekday(day))))];
  const known = knownDays ?? starts.map((start) => days.filter((day) => plus(day, -weekday(day)) === start).length);
  const inRange = starts.map((start) => between(start > from ? start : from, plus(start, 6) < to ? plus(start, 6) : to) + 1);
  const weekOf = days.map((day) => starts.indexOf(plus(day, -weekday(day))));
  const sums = (movies) => {
    const figures = starts.map(() => []);
    for (const { points } of movies) for (const [day, , audience] of points) figures[weekOf[day]].push(audience);
    return figures.map(sumOfKnown);
  };
  const layers = movies.slice(0, tints).map((movie) => ({ code: movie.code, title: titleOf(movie), sums: sums([movie]) }));
  return { starts, known, inRange, layers: [...layers, { title: t('history.others'), sums: sums(movies.slice(tints)) }] };
}

/** What is to be said of a week that has not all seven days: days that are not known, or days outside the range. */
const weekNote = (known, inRange) =>
  (known < inRange ? ` (${t('history.part', known, inRange)})` : inRange < 7 ? ` (${t('history.cut', inRange)})` : '');

/** The hatching over weeks of which not all days are known. */
const hatching = () => s('defs', {}, s('pattern', { id: 'part', width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
  s('rect', { class: 'hatch', width: 3, height: 6 })));

/** Draws the audience of weeks, stacked. Weeks with unknown days are hatched and those that the range cuts are pale: neither is a fall. */
export function weekDrawing(history, width) {
  const height = 300;
  const [left, right, top, bottom] = [52, 12, 14, height - 28];
  const { starts, known, inRange, layers } = weekSums(history);
  const totals = starts.map((_, week) => sumOfKnown(layers.map(({ sums }) => sums[week])));
  const marks = ticks(Math.max(...totals, 1));
  const y = scale([0, marks.at(-1)], [bottom, top]);
  const pitch = (width - left - right) / Math.max(1, starts.length);
  const isDense = pitch < 6;
  const column = isDense ? pitch : Math.min(40, pitch * 0.72);
  const steps = Math.max(1, Math.ceil(78 / pitch));
  return drawing(width, height, t('history.weeksLabel', starts.length, count(sumOfKnown(totals))),
    marks.map((mark) => [
      s('line', { class: 'rule', x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      label(left - 8, y(mark) + 4, compact(mark), { class: 'axis', 'text-anchor': 'end' }),
    ]),
    hatching(),
    starts.map((start, week) => {
      let base = 0;
      const x = left + pitch * (week + 0.500) - column / 2;
      const days = weekNote(known[week], inRange[week]);
      const isPart = known[week] < inRange[week];
      const parts = layers.map((layer, index) => {
        const sum = layer.sums[week];
        if (!sum) return null;
        const part = s('rect', { 'data-code': layer.code, class: `layer ${isDense ? 'dense' : ''} ${index < layers.length - 1 ? `tint${index}` : 'rest'}`, x: x.toFixed(1), width: column.toFixed(1), y: y(base + sum).toFixed(1), height: Math.max(0.500, y(base) - y(base + sum)).toFixed(1) },
          s('title', {}, `${shortDay(start)}${days} · ${layer.title} · ${admissions(sum)}`));
        base += sum;
        return part;
      });
      return [parts, days && s('rect', { class: isPart ? 'partWeek' : 'cutWeek', fill: isPart ? 'url(#part)' : null, x: x.toFixed(1), width: column.toFixed(1), y: y(base).toFixed(1), height: (y(0) - y(base)).toFixed(1) })];
    }),
    starts.map((start, week) => (week % steps ? null : axisLabel(left + pitch * (week + 0.500), height - 8, starts.length > 54 ? yearMonth(start) : tinyDay(start), width))));
}

/** The audience of each known day. */
export function dayTotals({ days, movies }) {
  const figures = days.map(() => []);
  for (const { points } of movies) for (const [day, , audience] of points) figures[day].push(audience);
  return new Map(days.map((day, index) => [day, sumOfKnown(figures[index])]));
}

/** The colours of days, from the smallest audience to the largest. */
const levels = 5;

/**
 * Draws a year: a square a day in one of five colours, and their scale; on a narrow page each half-year has a row of its own.
 */
export function yearDrawing(history, year, width) {
  const totals = dayTotals(history);
  const most = Math.max(1, ...totals.values());
  const starts = width < 640 ? [`${year}-01-01`, `${year}-07-01`] : [`${year}-01-01`];
  const columns = starts.length > 1 ? 28 : 54;
  const [left, top] = [38, 22];
  const size = Math.min(20, (width - left - 4) / columns);
  const band = top + 7 * size;
  const place = (day) => {
    const row = starts.findLastIndex((start) => start <= day);
    const index = between(starts[row], day) + weekday(starts[row]);
    return [left + Math.floor(index / 7) * size, top + row * band + (index % 7) * size];
  };
  const cells = Array.from({ length: between(`${year}-01-01`, `${year + 1}-01-01`) }, (_, index) => plus(`${year}-01-01`, index));
  const months = Array.from({ length: 12 }, (_, month) => `${year}-${String(month + 1).padStart(2, '0')}-01`);
  const level = (total) => ((total ?? null) === null ? 'none' : `level${Math.min(levels - 1, Math.floor((total / most) * levels))}`);
  const side = (size * 0.82).toFixed(1);
  const square = (x, y, kind, ...content) =>
    s('rect', { class: `day ${kind}`, x: x.toFixed(1), y: y.toFixed(1), width: side, height: side, rx: 2.500 }, content);
  const bottom = starts.length * band;
  return drawing(left + columns * size + 4, bottom + 34, t('history.yearLabel', year, totals.size, count(sumOfKnown([...totals.values()]))),
    months.map((day, month) => {
      const [x, y] = place(day);
      return label(x, y - (weekday(day) * size) - 8, monthName(month), { class: 'axis' });
    }),
    Array.from({ length: starts.length * 4 }, (_, index) => {
      const [row, day] = [Math.floor(index / 4), (index % 4) * 2];
      return label(left - 8, top + row * band + (day + 0.75) * size, weekdayName(day), { class: 'axis', 'text-anchor': 'end' });
    }),
    cells.map((day) => {
      const [x, y] = place(day);
      return s('a', { href: `day/${day}`, tabindex: '-1' }, square(x, y, level(totals.get(day)),
        s('title', {}, `${shortDay(day)} · ${admissions(totals.get(day))}`)));
    }),
    yearScale(left, bottom + 12, size, most, square));
}

/** The colours with the audience where each begins, and the largest at their end. */
function yearScale(left, y, size, most, square) {
  const middle = y + size * 0.41 + 4;
  const start = left + textWidth('0') + 6;
  const end = start + levels * size + 6;
  return s('g', { class: 'scale' },
    label(left, middle, '0', { class: 'axis' }),
    Array.from({ length: levels }, (_, index) => square(start + index * size, y, `level${index}`)),
    label(end, middle, t('unit.admissions', compact(most)), { class: 'axis' }));
}
