import { s } from '../lib/dom.js';
import { plus, weekday } from '../lib/dates.js';
import { compact, count, monthName, shortDay, tinyDay } from '../lib/format.js';
import { t } from '../lib/words.js';
import { drawing, label, scale, ticks, tints } from './drawing.js';

/** Admissions of weeks, stacked: the films with a colour, and the others as one. */
export function weekDrawing({ days, films }, width) {
  const height = 300;
  const [left, right, top, bottom] = [52, 12, 14, height - 28];
  const starts = [...new Set(days.map((day) => plus(day, -weekday(day))))];
  const weekOf = days.map((day) => starts.indexOf(plus(day, -weekday(day))));
  const layers = films.slice(0, tints).map((film) => ({ title: film.title, sums: sums(film.points) }));
  const rest = starts.map(() => 0);
  for (const film of films.slice(tints)) sums(film.points).forEach((sum, week) => { rest[week] += sum; });
  layers.push({ title: t('history.others'), sums: rest });

  function sums(points) {
    const sums = starts.map(() => 0);
    for (const [day, , audience] of points) sums[weekOf[day]] += audience ?? 0;
    return sums;
  }

  const totals = starts.map((_, week) => layers.reduce((sum, layer) => sum + layer.sums[week], 0));
  const marks = ticks(Math.max(...totals, 1));
  const y = scale([0, marks.at(-1)], [bottom, top]);
  const pitch = (width - left - right) / Math.max(1, starts.length);
  const column = Math.min(40, pitch * 0.72);
  const steps = Math.max(1, Math.ceil(56 / pitch));
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
        const part = s('rect', { class: `layer ${index < tints && index < films.length ? `tint${index}` : 'rest'}`, x: x.toFixed(1), width: column.toFixed(1), y: y(base + sum).toFixed(1), height: Math.max(0.500, y(base) - y(base + sum)).toFixed(1) },
          s('title', {}, `${shortDay(start)} · ${layer.title} · ${count(sum)}`));
        base += sum;
        return part;
      });
    }),
    starts.map((start, week) => (week % steps ? null : label(left + pitch * (week + 0.500), height - 8, tinyDay(start), { class: 'axis', 'text-anchor': 'middle' }))));
}

/** A year at a glance: a square a day, the darker the more admissions; the figure is in its title and in the table. */
export function yearDrawing({ days, films }, year) {
  const totals = new Map(days.map((day) => [day, 0]));
  for (const film of films) for (const [day, , audience] of film.points) totals.set(days[day], totals.get(days[day]) + (audience ?? 0));
  const most = Math.max(1, ...totals.values());
  const first = `${year}-01-01`;
  const offset = weekday(first);
  const size = 13;
  const [left, top] = [30, 22];
  const count365 = Math.round((Date.parse(`${year + 1}-01-01`) - Date.parse(first)) / 86_400_000);
  const cells = Array.from({ length: count365 }, (_, index) => plus(first, index));
  const column = (index) => Math.floor((index + offset) / 7);
  const level = (total) => (total === undefined ? 'none' : `level${Math.min(4, Math.floor((total / most) * 5))}`);
  const sum = [...totals].filter(([day]) => day.startsWith(String(year))).reduce((sum, [, total]) => sum + total, 0);
  return drawing(left + 54 * size + 4, top + 7 * size + 4, t('history.yearLabel', year, totals.size, count(sum)),
    Array.from({ length: 12 }, (_, month) => {
      const day = `${year}-${String(month + 1).padStart(2, '0')}-01`;
      return label(left + column(cells.indexOf(day)) * size, 14, monthName(month), { class: 'axis' });
    }),
    cells.map((day, index) => s('a', { href: `day/${day}`, tabindex: '-1' }, s('rect', {
      class: `day ${level(totals.get(day))}`, x: left + column(index) * size, y: top + ((index + offset) % 7) * size, width: size - 2.500, height: size - 2.500, rx: 2.500,
    }, s('title', {}, `${shortDay(day)} · ${totals.has(day) ? count(totals.get(day)) : '–'}`)))));
}
