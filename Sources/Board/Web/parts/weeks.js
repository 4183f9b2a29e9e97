import { s } from '../lib/dom.js';
import { between, plus, weekday } from '../lib/dates.js';
import { compact, count, monthName, shortDay, tinyDay, weekdayName, yearMonth } from '../lib/format.js';
import { t } from '../lib/words.js';
import { drawing, label, scale, ticks, tints } from './drawing.js';

/** Audience by week: the first days of the weeks, and a layer of sums for each movie with a colour and one for the others. */
export function weekSums({ days, films }) {
  const starts = [...new Set(days.map((day) => plus(day, -weekday(day))))];
  const weekOf = days.map((day) => starts.indexOf(plus(day, -weekday(day))));
  const sums = (films) => {
    const sums = starts.map(() => 0);
    for (const { points } of films) for (const [day, , audience] of points) sums[weekOf[day]] += audience ?? 0;
    return sums;
  };
  const layers = films.slice(0, tints).map((film) => ({ code: film.code, title: film.title, sums: sums([film]) }));
  return { starts, layers: [...layers, { title: t('history.others'), sums: sums(films.slice(tints)) }] };
}

/** Draws the audience of weeks, stacked. */
export function weekDrawing(history, width) {
  const height = 300;
  const [left, right, top, bottom] = [52, 12, 14, height - 28];
  const { starts, layers } = weekSums(history);
  const totals = starts.map((_, week) => layers.reduce((sum, layer) => sum + layer.sums[week], 0));
  const marks = ticks(Math.max(...totals, 1));
  const y = scale([0, marks.at(-1)], [bottom, top]);
  const pitch = (width - left - right) / Math.max(1, starts.length);
  const isDense = pitch < 6;
  const column = isDense ? pitch : Math.min(40, pitch * 0.72);
  const steps = Math.max(1, Math.ceil(78 / pitch));
  return drawing(width, height, t('history.weeksLabel', starts.length, count(totals.reduce((sum, total) => sum + total, 0))),
    marks.map((mark) => [
      s('line', { class: 'rule', x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      label(left - 8, y(mark) + 4, compact(mark), { class: 'axis', 'text-anchor': 'end' }),
    ]),
    starts.map((start, week) => {
      let base = 0;
      const x = left + pitch * (week + 0.500) - column / 2;
      return layers.map((layer, index) => {
        const sum = layer.sums[week];
        if (!sum) return null;
        const part = s('rect', { 'data-code': layer.code, class: `layer ${isDense ? 'dense' : ''} ${index < layers.length - 1 ? `tint${index}` : 'rest'}`, x: x.toFixed(1), width: column.toFixed(1), y: y(base + sum).toFixed(1), height: Math.max(0.500, y(base) - y(base + sum)).toFixed(1) },
          s('title', {}, `${shortDay(start)} · ${layer.title} · ${count(sum)}`));
        base += sum;
        return part;
      });
    }),
    starts.map((start, week) => (week % steps ? null : label(left + pitch * (week + 0.500), height - 8, starts.length > 54 ? yearMonth(start) : tinyDay(start), { class: 'axis', 'text-anchor': 'middle' }))));
}

/** The audience of each known day. */
export function dayTotals({ days, films }) {
  const totals = new Map(days.map((day) => [day, 0]));
  for (const film of films) for (const [day, , audience] of film.points) totals.set(days[day], totals.get(days[day]) + (audience ?? 0));
  return totals;
}

/** Draws a year: a square a day, darker with a larger audience; on a narrow page each half-year has a row of its own. */
export function yearDrawing(history, year, width) {
  const totals = dayTotals(history);
  const most = Math.max(1, ...totals.values());
  const first = `${year}-01-01`;
  const rows = width < 640 ? 2 : 1;
  const columns = Math.ceil(54 / rows);
  const [left, top] = [38, 22];
  const size = Math.min(20, (width - left - 4) / columns);
  const place = (day) => {
    const index = between(first, day) + weekday(first);
    const column = Math.floor(index / 7);
    return [left + (column % columns) * size, top + Math.floor(column / columns) * (7 * size + top) + (index % 7) * size];
  };
  const cells = Array.from({ length: between(first, `${year + 1}-01-01`) }, (_, index) => plus(first, index));
  const months = Array.from({ length: 12 }, (_, month) => `${year}-${String(month + 1).padStart(2, '0')}-01`);
  const level = (total) => (total === undefined ? 'none' : `level${Math.min(4, Math.floor((total / most) * 5))}`);
  const sum = [...totals.values()].reduce((sum, total) => sum + total, 0);
  const side = (size * 0.82).toFixed(1);
  return drawing(left + columns * size + 4, rows * (top + 7 * size), t('history.yearLabel', year, totals.size, count(sum)),
    months.map((day, month) => {
      const [x, y] = place(day);
      return label(x, y - (weekday(day) * size) - 8, monthName(month), { class: 'axis' });
    }),
    Array.from({ length: rows * 4 }, (_, index) => {
      const [row, day] = [Math.floor(index / 4), (index % 4) * 2];
      return label(left - 8, top + row * (7 * size + top) + (day + 0.75) * size, weekdayName(day), { class: 'axis', 'text-anchor': 'end' });
    }),
    cells.map((day) => {
      const [x, y] = place(day);
      return s('a', { href: `day/${day}`, tabindex: '-1' }, s('rect', { class: `day ${level(totals.get(day))}`, x: x.toFixed(1), y: y.toFixed(1), width: side, height: side, rx: 2.500 },
        s('title', {}, `${shortDay(day)} · ${totals.has(day) ? count(totals.get(day)) : '–'}`)));
    }));
}
