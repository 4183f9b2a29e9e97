/** Days in Korea as texts, `2024-06-04`, which sort as the days do. */
const day = 86_400_000;

export const firstChart = '2003-11-11';

const number = (date) => Date.parse(`${date}T00:00:00Z`) / day;
const text = (count) => new Date(count * day).toISOString().slice(0, 10);

/** Yesterday in Korea (UTC+9), whatever the browser's own zone is. */
export const yesterday = () => new Date(Date.now() + 9 * 3_600_000 - day).toISOString().slice(0, 10);

export const plus = (date, days) => text(number(date) + days);
export const between = (from, to) => number(to) - number(from);

/** 0 is Monday. */
export const weekday = (date) => (((number(date) + 3) % 7) + 7) % 7;

export const isDate = (word) => /^\d{4}-\d\d-\d\d$/.test(word) && !Number.isNaN(number(word)) && text(number(word)) === word;

/** The day, or the nearest one that can have a chart. */
export const clamped = (date) => (date < firstChart ? firstChart : date > yesterday() ? yesterday() : date);

/** A span within its week: the first day's offset from Monday, and its length in days. */
const spans = { day: [0, 1], week: [0, 7], weekend: [4, 3], weekdays: [0, 4] };

/** The first and last day of the span in the week of a day. */
export function span(kind, date) {
  if (kind === 'day') return [date, date];
  const [offset, length] = spans[kind];
  const first = plus(date, offset - weekday(date));
  return [first, plus(first, length - 1)];
}

/** The newest span that is over. */
export function newest(kind) {
  const today = yesterday();
  if (kind === 'day') return today;
  let [first, last] = span(kind, today);
  if (last > today) [first, last] = span(kind, plus(first, -7));
  return first;
}

export const length = (kind) => (kind === 'day' ? 1 : 7);
