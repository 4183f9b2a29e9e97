import { h } from '../lib/dom.js';
import { count, instant, percent } from '../lib/format.js';
import { langOf, t, titleOf } from '../lib/words.js';

const shares = new Set(['salesShare', 'salesChange', 'audienceChange']);

function value(field, value) {
  if (value === null) return '–';
  if (shares.has(field)) return percent(value);
  return typeof value === 'number' ? count(value) : String(value);
}

/** The changes of each revision, newest first. */
export function corrections({ chart, revisions }) {
  const titles = new Map(chart.entries.map((entry) => [entry.movieCode, titleOf(entry)]));
  return h('div', { class: 'revisions' }, [...revisions].reverse().map((revision) => {
    const heading = h('h3', {}, t('corrections.revision', revision.revision, instant(revision.time)));
    if (revision.revision === 1) return h('section', {}, heading, h('p', {}, t('corrections.first')));
    if (!revision.corrections.length) return h('section', {}, heading, h('p', {}, t('corrections.none')));
    return h('section', {}, heading, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': heading.textContent }, table(revision.corrections, titles)));
  }));
}

/** A group of rows for each movie: its title, then its figures before and after. */
function table(corrections, titles) {
  const movies = Map.groupBy(corrections, ({ movieCode }) => movieCode);
  return h('table', {},
    h('thead', {}, h('tr', {}, ['field', 'before', 'after'].map((name, index) => h('th', { scope: 'col', class: index ? 'number' : null }, t(`corrections.${name}`))))),
    [...movies].map(([code, changes]) => {
      const entry = changes.map(({ before, after }) => after ?? before).find((value) => value?.title);
      return h('tbody', {},
        h('tr', {}, h('th', { scope: 'rowgroup', colspan: '3', class: 'movie', lang: langOf(titles.get(code) ?? entry?.title ?? code) },
          titles.get(code) ?? entry?.title ?? code)),
        changes.map(row));
    }));
}

function row({ field, before, after }) {
  if (field === 'entry') return h('tr', {}, h('td', { colspan: '3' }, t(after ? 'corrections.came' : 'corrections.went')));
  return h('tr', {}, h('th', { scope: 'row' }, t(`field.${field}`)),
    h('td', { class: 'number' }, h('del', {}, value(field, before))), h('td', { class: 'number' }, h('ins', {}, value(field, after))));
}
