import { language, t } from './words.js';

const formats = new Map();
function format(name, make) {
  const key = `${language()} ${name}`;
  if (!formats.has(key)) formats.set(key, make(language()));
  return formats.get(key);
}

/** A Korean day is a date of the calendar and not an instant: it is the same in every zone. */
const dayFormat = (name, options) =>
  format(name, (tag) => new Intl.DateTimeFormat(tag, { timeZone: 'UTC', ...options }));
const asDay = (date) => new Date(`${date}T00:00:00Z`);

export const count = (value) => (value === null || value === undefined ? '–' : format('count', (tag) => new Intl.NumberFormat(tag)).format(value));
/** A number of admissions with its counter. */
export const admissions = (value) => (value === null || value === undefined ? '–' : t('unit.admissions', count(value)));
export const percent = (value) => (value === null || value === undefined ? '–' : `${format('percent', (tag) => new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 })).format(value)}%`);
export const compact = (value) => (value === null || value === undefined ? '–' : format('compact', (tag) => new Intl.NumberFormat(tag, { notation: 'compact', maximumFractionDigits: 1 })).format(value));
/** The sum of the known figures; null, which is unknown, if a figure is and the others are 0. */
export const sumOfKnown = (figures) => figures.reduce((sum, figure) => sum + (figure ?? 0), 0) || (figures.includes(null) ? null : 0);
export const signed = (value) => (value === null || value === undefined ? '–' : format('signed', (tag) => new Intl.NumberFormat(tag, { signDisplay: 'exceptZero' })).format(value));

export const longDay = (date) => dayFormat('long', { year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' }).format(asDay(date));
export const shortDay = (date) => dayFormat('short', { year: 'numeric', month: 'short', day: 'numeric' }).format(asDay(date));
export const tinyDay = (date) => dayFormat('tiny', { month: 'numeric', day: 'numeric' }).format(asDay(date));
export const range = (from, to) => dayFormat('range', { year: 'numeric', month: 'long', day: 'numeric' }).formatRange(asDay(from), asDay(to));
export const day = (date) => dayFormat('day', { month: 'long', day: 'numeric' }).format(asDay(date));
export const dayRange = (from, to) => dayFormat('day', { month: 'long', day: 'numeric' }).formatRange(asDay(from), asDay(to));
export const month = (date) => dayFormat('month', { year: 'numeric', month: 'long' }).format(asDay(date));
export const yearMonth = (date) => dayFormat('yearMonth', { year: 'numeric', month: 'short' }).format(asDay(date));
export const monthName = (index) => dayFormat('monthName', { month: 'short' }).format(new Date(Date.UTC(2024, index, 1)));
/** 0 is Monday. */
export const weekdayName = (index) => dayFormat('weekday', { weekday: 'short' }).format(new Date(Date.UTC(2024, 0, 1 + index)));
/** An instant in Korea's time, in which the days of the charts end. */
export const instant = (time) => {
  const text = format('instant', (tag) => new Intl.DateTimeFormat(tag, { timeZone: 'Asia/Seoul', dateStyle: 'medium', timeStyle: 'short' })).format(new Date(time));
  return language() === 'ko' ? text : `${text} KST`;
};
export const duration = (seconds) => {
  const parts = [[86_400, 'unit.days'], [3_600, 'unit.hours'], [60, 'unit.minutes'], [1, 'unit.seconds']];
  const [size, word] = parts.find(([size]) => seconds >= size) ?? parts[3];
  return t(word, Math.floor(seconds / size));
};

/** A change of rank: its glyph and number, its kind, and how to say it. */
export function movement(entry) {
  if (entry.isNew) return { kind: 'new', text: t('move.newMark'), said: t('move.new') };
  const change = entry.rankChange ?? 0;
  if (change > 0) return { kind: 'rose', text: `▲${change}`, said: t('move.rose', change) };
  if (change < 0) return { kind: 'fell', text: `▼${-change}`, said: t('move.fell', -change) };
  return { kind: 'same', text: '-', said: t('move.same') };
}
