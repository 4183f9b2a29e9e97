import { h } from '../lib/dom.js';
import { count, instant, percent } from '../lib/format.js';
import { t } from '../lib/words.js';

const shares = new Set(['salesShare', 'salesChange', 'audienceChange']);

function value(field, value) {
  if (value === null) return '–';
  if (shares.has(field)) return percent(value);
  return typeof value === 'number' ? count(value) : String(value);
}

/** What changed from revision to revision, newest first. */
export function corrections({ chart, revisions }) {
  const titles = new Map(chart.entries.map((entry) => [entry.movieCode, entry.title]));
  return h('div', { class: 'revisions' }, [...revisions].reverse().map((revision) => {
    const heading = h('h3', {}, t('corrections.revision', revision.revision, instant(revision.time)));
    if (revision.revision === 1) return h('section', {}, heading, h('p', {}, t('corrections.first')));
    if (!revision.corrections.length) return h('section', {}, heading, h('p', {}, t('corrections.none')));
    return h('section', {}, heading, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': heading.textContent }, table(revision.corrections, titles)));
  }));
}

function table(corrections, titles) {
  return h('table', {},
    h('thead', {}, h('tr', {}, ['film', 'field', 'before', 'after'].map((name) => h('th', { scope: 'col' }, t(`corrections.${name}`))))),
    h('tbody', {}, corrections.map(({ movieCode, field, before, after }) => {
      const title = titles.get(movieCode) ?? before?.title ?? after?.title ?? movieCode;
      if (field === 'entry') {
        return h('tr', {}, h('th', { scope: 'row' }, title), h('td', { colspan: '3' }, t(after ? 'corrections.came' : 'corrections.went')));
      }
      return h('tr', {}, h('th', { scope: 'row' }, title), h('td', {}, t(`field.${field}`)),
        h('td', { class: 'number' }, h('del', {}, value(field, before))), h('td', { class: 'number' }, h('ins', {}, value(field, after))));
    })));
}
