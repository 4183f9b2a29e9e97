import { s } from '../lib/dom.js';
import { between } from '../lib/dates.js';
import { admissions, compact, count, shortDay, tinyDay } from '../lib/format.js';
import { language, t } from '../lib/words.js';
import { axisLabel, drawing, label, path, scale, textWidth, ticks } from './drawing.js';

/** Total audiences that count as milestones in Korea. */
export const milestones = [1e6, 2e6, 3e6, 5e6, 8e6, 1e7, 1.500e7];

/** The known days on which a movie's total audience first reached a milestone. */
export const reached = (run) => milestones.flatMap((total) => {
  const index = run.findIndex((day) => (day.audienceTotal ?? 0) >= total);
  // The first known day may be long after the milestone.
  return index > 0 ? [{ total, ...run[index] }] : [];
});

/** A milestone as it is said: 100만, 천만, 1M. */
export const milestoneText = (total) => (language() === 'en' ? compact(total) : total === 1e7 ? '천만' : `${count(total / 1e4)}만`);

/** The height of a row of labels. */
const rowHeight = 16;

/** The labels of milestones at these places, each in the first row where it has room; at most `width` wide. */
export function flagLabels(flags, width) {
  const ends = [];
  return flags.map(({ at, text }) => {
    const half = textWidth(text) / 2;
    const x = Math.min(Math.max(at, half + 2), width - half - 2);
    let row = ends.findIndex((end) => end + 6 <= x - half);
    if (row < 0) row = ends.length;
    ends[row] = x + half;
    return { x, row, text };
  });
}

/** Draws a movie's days: audience as columns, the rank as a line above them, milestones as flags. */
export function runDrawing(run, title, width) {
  const rankHeight = 96;
  const [left, right] = [52, 16];
  const first = run[0].date;
  const days = Math.max(1, between(first, run.at(-1).date));
  const column = Math.max(1.500, Math.min(36, ((width - left - right) / (days + 1)) * 0.7));
  const x = scale([0, days], [left + 6 + column / 2, width - right - 6 - column / 2]);
  const at = (day) => x(between(first, day.date));
  const flags = reached(run);
  const labels = flagLabels(flags.map((day) => ({ at: at(day), text: milestoneText(day.total) })), width);
  const rows = Math.max(1, ...labels.map(({ row }) => row + 1));
  const baseline = ({ row }) => rowHeight * (rows - row);
  const top = 18 + rows * rowHeight;
  const height = 286 + top;
  const bottom = height - 28;
  const rank = scale([1, 10], [top, top + rankHeight - 24]);
  const marks = ticks(Math.max(...run.map((day) => day.audience ?? 0)));
  const y = scale([0, marks.at(-1)], [bottom, top + rankHeight]);
  // A day without a rank breaks the line.
  const line = run.flatMap((day, index) => {
    const gap = index > 0 && between(run[index - 1].date, day.date) > 1;
    const point = day.rank === null ? null : [at(day), rank(day.rank)];
    return gap ? [null, point] : [point];
  });
  const steps = Math.max(1, Math.ceil((days + 1) / Math.max(2, Math.floor((width - left) / 84))));
  return drawing(width, height, t('movie.runLabel', title, shortDay(first), shortDay(run.at(-1).date)),
    marks.map((mark) => [
      s('line', { class: 'rule', x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
      label(left - 8, y(mark) + 4, compact(mark), { class: 'axis', 'text-anchor': 'end' }),
    ]),
    [1, 5, 10].map((place) => [
      s('line', { class: 'rule faint', x1: left, x2: width - right, y1: rank(place), y2: rank(place) }),
      label(left - 8, rank(place) + 4, t('line.rank', place), { class: 'axis', 'text-anchor': 'end' }),
    ]),
    run.filter((_, index) => index % steps === 0).map((day) =>
      axisLabel(at(day), height - 8, tinyDay(day.date), width)),
    flags.map((day, index) => s('line', { class: 'flag', x1: at(day), x2: at(day), y1: baseline(labels[index]) + 5, y2: bottom })),
    // Above the lines, which may cross a label of a lower row.
    labels.map((flag) => label(flag.x, baseline(flag), flag.text, { class: 'flagText', 'text-anchor': 'middle' })),
    run.map((day) => s('rect', { class: 'column', x: at(day) - column / 2, y: y(day.audience ?? 0), width: column, height: Math.max(0, bottom - y(day.audience ?? 0)) },
      s('title', {}, `${shortDay(day.date)} · ${day.rank === null ? t('line.noRank') : t('line.rank', day.rank)} · ${admissions(day.audience)}`))),
    s('path', { class: 'rankLine', d: path(line) }),
    run.filter((day) => day.rank !== null && days < 60).map((day) => s('circle', { class: 'rankPoint', cx: at(day), cy: rank(day.rank), r: 2.500 })));
}
