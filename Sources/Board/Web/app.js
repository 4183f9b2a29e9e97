import { h, icon, say } from './lib/dom.js';
import { language, t } from './lib/words.js';
import { settings } from './lib/settings.js';
import { live } from './lib/live.js';
import { notifyOfAlerts } from './lib/notifications.js';
import { pages } from './pages.js';

const base = new URL(document.baseURI).pathname;
const main = h('main', { id: 'main', tabindex: '-1' });
let leaving = null;

/** The address below the base path: the parts of its path, and its query. */
function place() {
  const path = decodeURI(location.pathname).slice(base.length);
  return { words: path.split('/').filter(Boolean), query: new URLSearchParams(location.search) };
}

export function go(path, { replace = false } = {}) {
  const url = new URL(path, document.baseURI);
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  return show({ isMove: !replace });
}

async function show({ isMove = false } = {}) {
  const at = place();
  leaving?.abort();
  const leave = new AbortController();
  leaving = leave;
  const page = pages.find(({ words }) => words.includes(at.words[0] ?? ''));
  markPlace(page);
  let module;
  try {
    [module] = await Promise.all([page ? page.load() : nowhere(), page?.style && styled(page.style)]);
  } catch {
    module = await unreachable();
  }
  if (leave.signal.aborted) return;
  module.show(main, { ...at, go, signal: leave.signal });
  if (isMove) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  say(document.title);
}

async function nowhere() {
  const { failed } = await import('./parts/notices.js');
  return { show: (main) => main.replaceChildren(failed({ code: 'notFound' })) };
}

/** Shows that a part of the page cannot be loaded, because the board does not answer. */
async function unreachable() {
  const { failed } = await import('./parts/notices.js');
  return { show: (main) => main.replaceChildren(failed({ code: 'offline' }, () => location.reload())) };
}

/** Loads a page's own style sheet, once, before the page is drawn. */
function styled(href) {
  const address = new URL(href, document.baseURI).href;
  if ([...document.styleSheets].some((sheet) => sheet.href === address)) return null;
  return new Promise((resolve, reject) =>
    document.head.append(h('link', { rel: 'stylesheet', href: address, onload: resolve, onerror: reject })));
}

/** Shows the link to a page that not every board has once that page has content. */
async function revealPlaces() {
  for (const { name, isThere } of pages) {
    const link = isThere && document.querySelector(`nav a[data-name=${name}][hidden]`);
    if (link && await isThere()) link.hidden = false;
  }
}

function markPlace(page) {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.dataset.name === page?.name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function frame() {
  const lamp = h('p', { class: 'lamp', id: 'lamp' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), h('span', { class: 'word' }));
  return [
    h('a', { class: 'skip', href: '#main', onclick: (event) => { event.preventDefault(); main.focus(); } }, t('nav.skip')),
    h('header', { class: 'top' },
      h('a', { class: 'brand', href: './' }, h('span', { class: 'bulbs', 'aria-hidden': 'true' }), 'marquee'),
      h('nav', { 'aria-label': t('nav.label') },
        pages.filter((page) => page.name).map(({ name, words, isThere }) =>
          h('a', { href: words[0] || './', 'data-name': name, hidden: Boolean(isThere) }, icon(name), h('span', {}, t(`nav.${name}`))))),
      lamp, themeButton(), languageButton()),
    h('div', { id: 'warnings', role: 'status' }),
    main,
    h('footer', {}, h('p', {}, 'marquee · ', h('a', { href: 'https://www.kobis.or.kr', rel: 'noreferrer' }, 'KOBIS'), ' · ', t('footer.time'))),
    h('p', { id: 'said', class: 'spoken', role: 'status' }),
    h('div', { id: 'toasts', role: 'status' }),
  ];
}

function themeButton() {
  const order = ['auto', 'light', 'dark'];
  const text = () => t(`theme.${settings.get('theme', 'auto')}`);
  const label = h('span', {}, text());
  const button = h('button', { class: 'quiet', type: 'button', onclick() {
    const next = order[(order.indexOf(settings.get('theme', 'auto')) + 1) % 3];
    settings.set('theme', next === 'auto' ? null : next);
    if (next === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    label.textContent = text();
    button.setAttribute('aria-label', `${t('theme.label')}: ${text()}`);
  } }, icon('sun'), label);
  button.setAttribute('aria-label', `${t('theme.label')}: ${text()}`);
  return button;
}

function languageButton() {
  const other = language() === 'ko' ? 'en' : 'ko';
  return h('button', { class: 'quiet language', type: 'button', lang: other, onclick() {
    settings.set('language', other);
    document.documentElement.lang = other;
    draw();
  } }, t('language.switch'));
}

/** The warnings that hold now. */
function warn() {
  const lamp = document.getElementById('lamp');
  const isPartial = live.state === 'open' && !(live.link.worker && live.link.notifier);
  lamp.dataset.state = isPartial ? 'partial' : live.state;
  lamp.lastChild.textContent = t(`live.${lamp.dataset.state}`);
  const warnings = [
    live.state === 'lost' && t('live.lostLong'),
    live.state === 'open' && !live.link.worker && t('live.worker'),
    live.state === 'open' && !live.link.notifier && t('live.notifier'),
  ].filter(Boolean);
  document.getElementById('warnings').replaceChildren(...warnings.map((text) => h('p', { class: 'warning' }, text)));
}

function draw() {
  document.body.replaceChildren(...frame());
  warn();
  revealPlaces();
  show();
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || !link.pathname.startsWith(base) || link.hasAttribute('download')) return;
  if (link.pathname.includes('.')) return;
  event.preventDefault();
  go(link.href);
});
addEventListener('popstate', () => show({ isMove: true }));
live.addEventListener('state', warn);
live.addEventListener('link', warn);
for (const kind of ['products', 'product', 'reset']) live.addEventListener(kind, revealPlaces);

draw();
live.start();
notifyOfAlerts();
