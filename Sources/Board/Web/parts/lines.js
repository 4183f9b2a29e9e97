import { h, icon, spoken } from '../lib/dom.js';
import { posterAddress } from '../lib/api.js';
import { compact, count, movement, percent, shortDay } from '../lib/format.js';
import { language, langOf, t, titleOf } from '../lib/words.js';

/** The sort orders of lines. */
export const orders = {
  line: (a, b) => a.line - b.line,
  audience: by('audience'),
  audienceTotal: by('audienceTotal'),
  sales: by('sales'),
  screens: by('screens'),
  rankChange: (a, b) => (b.rankChange ?? 0) - (a.rankChange ?? 0) || a.line - b.line,
  openDate: (a, b) => (b.openDate ?? '').localeCompare(a.openDate ?? '') || a.line - b.line,
  title: (a, b) => titleOf(a).localeCompare(titleOf(b), language()) || a.line - b.line,
};

function by(field) {
  return (a, b) => (b[field] ?? -1) - (a[field] ?? -1) || a.line - b.line;
}

/** The frame of a poster, filled once there is one: `version` is undefined if none is known, null if none exists. */
export function poster(code, title, version, size) {
  const place = h('span', { class: `poster ${size}`, 'data-code': code, 'data-size': size });
  setPoster(place, title, version);
  return place;
}

export function setPoster(place, title, version) {
  if (version) {
    place.classList.add('loading');
    const image = h('img', {
      src: posterAddress(place.dataset.code, version, place.dataset.size), alt: '', decoding: 'async', loading: 'lazy',
      onload: () => place.classList.remove('loading'),
      onerror: () => setPoster(place, title, null),
    });
    place.replaceChildren(image);
  } else {
    place.classList.remove('loading');
    place.replaceChildren(h('span', { class: 'initial', 'aria-hidden': 'true', lang: langOf(title) }, [...title][0] ?? ''));
  }
}

export function mark(entry) {
  const { kind, text, said } = movement(entry);
  return h('span', { class: `move ${kind}` }, h('span', { 'aria-hidden': 'true' }, text), spoken(said));
}

const figure = (name, value, kind) =>
  h('span', { class: `figure ${kind ?? ''}` }, h('span', { class: 'name' }, t(name)), ' ', h('span', { class: 'value' }, value));

/** The title, with what tells the movie from those of the chart that have the same: the opening's year, else its day, else the code. */
function distinctTitle(entry, entries) {
  const title = titleOf(entry);
  const others = entries.filter((other) => titleOf(other) === title && other.movieCode !== entry.movieCode);
  if (!others.length) return title;
  const shared = (length) => others.some(({ openDate }) => openDate?.slice(0, length) === entry.openDate?.slice(0, length));
  if (!entry.openDate || shared(10)) return `${title} (${entry.movieCode})`;
  return `${title} (${entry.openDate.slice(0, shared(4) ? 10 : 4)})`;
}

function opening(entry, day) {
  if (!entry.openDate) return null;
  return h('span', { class: 'opened' }, t(entry.openDate > day ? 'line.opens' : 'line.opened', shortDay(entry.openDate)));
}

/** A chart's lines as a list, or as a grid of posters. */
export function lines({ entries, posters, day, mode }) {
  const most = Math.max(1, ...entries.map((entry) => entry.audience ?? 0));
  const item = mode === 'grid' ? card : row;
  return h('ol', { class: `lines ${mode}` }, entries.map((entry) => {
    const title = distinctTitle(entry, entries);
    return item({ ...entry, title, titleEnglish: title }, posters[entry.movieCode], day, most);
  }));
}

function rank(entry) {
  return h('span', { class: 'rank' }, h('span', { class: 'number', 'aria-hidden': 'true' }, entry.rank ?? '–'),
    spoken(t('line.rank', entry.rank ?? '–')), mark(entry));
}

const link = (entry) =>
  h('a', { class: 'title', href: `movie/${entry.movieCode}`, lang: langOf(titleOf(entry)) }, titleOf(entry));

function row(entry, version, day, most) {
  return h('li', { '--part': `${(100 * (entry.audience ?? 0)) / most}%` },
    rank(entry),
    poster(entry.movieCode, titleOf(entry), version, 'small'),
    h('span', { class: 'what' },
      link(entry),
      opening(entry, day),
      h('span', { class: 'bar', 'aria-hidden': 'true' })),
    h('span', { class: 'figures' },
      figure('line.audience', count(entry.audience), 'main'),
      figure('line.total', count(entry.audienceTotal)),
      figure('line.share', percent(entry.salesShare)),
      figure('line.screens', count(entry.screens))));
}

function card(entry, version) {
  return h('li', {},
    h('div', { class: 'cover' }, poster(entry.movieCode, titleOf(entry), version, 'large'), rank(entry)),
    link(entry),
    h('span', { class: 'figures' },
      figure('line.audience', count(entry.audience), 'main'),
      figure('line.total', compact(entry.audienceTotal))));
}

/** Placeholders until the lines come. */
export function skeleton(mode) {
  const item = mode === 'grid'
    ? () => h('li', {}, h('div', { class: 'cover' }, h('span', { class: 'poster large' })), h('span', { class: 'bone' }), h('span', { class: 'bone short' }))
    : () => h('li', {}, h('span', { class: 'rank' }, h('span', { class: 'bone number' })), h('span', { class: 'poster small' }),
      h('span', { class: 'what' }, h('span', { class: 'bone' }), h('span', { class: 'bone short' })), h('span', { class: 'figures' }, h('span', { class: 'bone' })));
  return h('ol', { class: `lines ${mode} skeleton`, 'aria-hidden': 'true' }, Array.from({ length: 10 }, item));
}

export const modeButton = (mode, current, choose) =>
  h('button', { type: 'button', 'aria-pressed': String(mode === current), onclick: () => choose(mode) },
    icon(mode), h('span', {}, t(`chart.mode.${mode}`)));
