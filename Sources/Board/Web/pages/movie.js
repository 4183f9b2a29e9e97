import { h, refill, say } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { shortDay, count } from '../lib/format.js';
import { live } from '../lib/live.js';
import { outcome } from '../lib/requests.js';
import { addWords, langOf, language, t, titleOf } from '../lib/words.js';
import { alertItem } from '../parts/alert.js';
import { poster } from '../parts/lines.js';
import { failed, sentence } from '../parts/notices.js';
import { posterEditor } from '../parts/posterEditor.js';
import { milestoneText, reached, runDrawing } from '../parts/run.js';

addWords({
  'movie.facts': ['영화 정보', 'Facts'],
  'movie.director': ['감독', 'Director'],
  'movie.year': ['제작연도', 'Year'],
  'movie.openDate': ['개봉일', 'Release date'],
  'movie.runtime': ['상영시간', 'Runtime'],
  'movie.runtimeValue': ['{0}분', '{0} min'],
  'movie.grade': ['관람등급', 'Rating'],
  'movie.nations': ['제작국가', 'Country'],
  'movie.genres': ['장르', 'Genre'],
  'movie.cast': ['출연', 'Cast'],
  'movie.companies': ['참여영화사', 'Companies'],
  'movie.more': ['{0}명 더 보기', 'Show {0} more'],
  'movie.less': ['접기', 'Show fewer'],
  'movie.role': ['{0} 역', 'as {0}'],
  'movie.run': ['흥행 추이', 'Box office run'],
  'movie.runLabel': ['{0}의 관객수와 순위, {1}부터 {2}까지. 같은 내용이 아래 표에 있습니다.', 'Admissions and ranks of {0}, {1} to {2}. The table below has the same data.'],
  'movie.runNote': ['수집된 날짜 중 10위권에 든 날만 표시', 'Days in the top ten that are on record'],
  'movie.noRun': ['수집된 10위권 기록이 아직 없습니다.', 'No day with this movie in the top ten is on record yet.'],
  'movie.table': ['표로 보기', 'Show as a table'],
  'movie.date': ['날짜', 'Day'],
  'movie.reached': ['{0} 관객 돌파', 'Passed {0}'],
  'movie.alerts': ['이 영화의 알림', 'Alerts about this movie'],
  'movie.noAlerts': ['아직 알림이 없습니다.', 'No alerts yet.'],
  'movie.posterSource': ['포스터 출처:', 'Poster from'],
  'movie.loading': ['영화 정보를 요청하는 중…', 'Requesting the facts…'],
});

/** The council's words in English, by vocabulary and Korean word; none on the Korean page. */
let vocabulary = null;

async function vocabularyFor(signal) {
  if (language() === 'ko') return {};
  vocabulary ??= await get('vocabulary', signal);
  return vocabulary;
}

/** Longer lists are folded. */
const foldAt = 8;

/** A movie: its poster, facts, run and alerts. */
export function show(main, { words, signal }) {
  const code = words[1] ?? '';
  document.title = `${code} · marquee`;
  main.replaceChildren(h('p', { class: 'state waiting' }, t('chart.loading')));
  const editor = posterEditor(code, signal);
  const places = { poster: h('div', {}), header: h('header'), facts: h('section', { class: 'facts', 'aria-label': t('movie.facts') }),
    run: h('section', { class: 'wide' }), alerts: h('section', { class: 'wide' }) };
  const article = h('article', { class: 'movie' }, h('div', { class: 'side' }, places.poster, editor.element), h('div', { class: 'about' }, places.header, places.facts), places.run, places.alerts);
  let answer = null;
  let english = {};
  let isAsked = false;
  /** Whether the worker has answered: facts that are missing then stay unknown. */
  let isTold = false;
  let timer = null;

  async function load() {
    try {
      [answer, english] = await Promise.all([get(`movies/${encodeURIComponent(code)}`, signal), vocabularyFor(signal)]);
      draw();
      if (!answer.movie || !answer.poster.isKnown) fetch();
    } catch (failure) {
      if (failure.name === 'AbortError') return;
      if (failure.code === 'unknown' && !isAsked) return fetch();
      if (!answer) main.replaceChildren(failed(failure, load));
    }
  }

  async function fetch() {
    if (isAsked) return;
    isAsked = true;
    if (!answer) main.replaceChildren(h('p', { class: 'state waiting' }, t('movie.loading')));
    try {
      await outcome('fetch.movie', { code }, signal);
      isTold = true;
      await load();
    } catch (failure) {
      if (failure.name !== 'AbortError' && !answer?.movie) note(failure);
    }
  }

  function note(failure) {
    isTold = true;
    const notice = failed(failure, () => { isAsked = isTold = false; load(); }, { words: (failure) => sentence(failure, 'fetch.movie') });
    if (answer) refill(places.facts, failure, () => notice);
    else main.replaceChildren(notice);
  }

  function draw() {
    const { movie, run, alerts } = answer;
    const korean = movie?.title ?? answer.title ?? code;
    const title = titleOf({ title: korean, titleEnglish: movie?.titleEnglish });
    const other = [korean, movie?.titleEnglish, movie?.titleOriginal].find((name) => name && name !== title);
    document.title = `${title} · marquee`;
    if (!article.isConnected) {
      main.replaceChildren(article);
      say(title);
    }
    refill(places.poster, { title, ...answer.poster, isComing: !answer.poster.isKnown && !isTold }, ({ version, site, pageURL, isComing }) => {
      const place = poster(code, title, version, 'large');
      if (isComing) place.classList.add('loading');
      return [place, pageURL && source(site, pageURL)];
    });
    editor.draw(answer.poster);
    refill(places.header, [title, other], ([title, other]) => [h('h1', { lang: langOf(title) }, title),
      other && h('p', { class: 'other', lang: other === movie?.titleEnglish ? 'en' : langOf(other) }, other)]);
    refill(places.facts, movie, () => (movie ? facts(movie, english) : h('p', { class: 'state' }, t('movie.loading'))));
    refill(places.run, run, () => [h('h2', {}, t('movie.run')), runParts(run, title)]);
    refill(places.alerts, alerts, () => [h('h2', {}, t('movie.alerts')),
      alerts.length ? h('ol', { class: 'alerts' }, alerts.map((alert) => alertItem(alert))) : h('p', { class: 'state' }, t('movie.noAlerts'))]);
  }

  function runParts(run, title) {
    if (!run.length) return h('p', { class: 'state' }, t('movie.noRun'));
    const place = h('div', { class: 'scroll chartPlace' });
    const observer = new ResizeObserver(() => place.clientWidth && place.replaceChildren(runDrawing(run, title, Math.max(260, place.clientWidth))));
    observer.observe(place);
    signal.addEventListener('abort', () => observer.disconnect());
    const marks = reached(run).map((day) => h('li', { class: 'chip' }, `${shortDay(day.date)} · ${t('movie.reached', milestoneText(day.total))}`));
    return [
      h('p', { class: 'state' }, t('movie.runNote')), place, marks.length > 0 && h('ul', { class: 'marks' }, marks),
      h('details', { open: places.run.querySelector('details')?.open }, h('summary', {}, t('movie.table')), table(run)),
    ];
  }

  live.on('movie', (update) => update.code === code && load(), signal);
  live.on('poster', (update) => {
    if (update.code !== code) return;
    if (!answer) return load();
    answer.poster = { isKnown: true, version: update.version };
    draw();
    load();  // the page that shows it
  }, signal);
  live.on('alert', (update) => update.alert.movieCode === code && load(), signal);
  live.on('chart', (update) => {
    if (update.span !== 'day' || update.market !== 'all') return;
    // A backfill sends many updates at once.
    clearTimeout(timer);
    timer = setTimeout(load, 500);
  }, signal);
  live.on('reset', load, signal);
  load();
}

/** The link to the page that shows the poster; its address comes from strangers. */
function source(site, pageURL) {
  const { protocol, hostname } = URL.canParse(pageURL) ? new URL(pageURL) : {};
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return h('a', { class: 'source', href: pageURL, target: '_blank', rel: 'noopener noreferrer nofollow' }, t('movie.posterSource'), ' ', text(site ?? hostname));
}

/** A text of the council, marked where it is not in the page's language. */
const text = (text) => (langOf(text) ? h('span', { lang: langOf(text) }, text) : text);
const named = ({ name, nameEnglish }) => text(language() === 'ko' ? name : nameEnglish ?? name);

function facts(movie, english) {
  const word = (vocabulary) => (korean) => text(english[vocabulary]?.[korean] ?? korean);
  const rows = [
    ['director', line(movie.directors.map(named))],
    ['year', movie.productionYear],
    ['openDate', movie.openDate && h('a', { href: `day/${movie.openDate}` }, shortDay(movie.openDate))],
    ['runtime', movie.runtimeMinutes && t('movie.runtimeValue', movie.runtimeMinutes)],
    ['grade', line([...new Set(movie.ratings.map((rating) => rating.grade))].map(word('ratings')))],
    ['nations', line(movie.nations.map(word('nations')))],
    ['genres', line(movie.genres.map(word('genres')))],
    ['cast', list(movie.actors.map(played))],
    ['companies', companies(movie.companies, word('parts'))],
  ];
  return h('dl', {}, rows.map(([name, value]) => h('div', {}, h('dt', {}, t(`movie.${name}`)), h('dd', {}, value || '–'))));
}

/** An actor and the role, which is never mistaken for another actor. */
function played(actor) {
  const role = language() === 'ko' ? actor.role : actor.roleEnglish ?? actor.role;
  if (!role) return named(actor);
  const [before, after] = t('movie.role', '\n').split('\n');
  const words = [before, text(role), after];
  return [named(actor), language() === 'ko' ? [' (', words, ')'] : [' ', words]];
}

/** The companies of each part in a line. */
function companies(companies, word) {
  if (!companies.length) return null;
  return h('ul', { class: 'parts' }, [...Map.groupBy(companies, ({ part }) => part ?? '')].map(([part, members]) =>
    h('li', {}, part && [h('span', { class: 'part' }, word(part)), ' '], line(members.map(named)))));
}

/** Things in one line, with commas between them. */
const line = (things) => (things.length ? things.map((thing, index) => [index > 0 && ', ', thing]) : null);

/** A list, of which all but the first are folded if there are many. */
function list(things) {
  if (!things.length) return null;
  const items = things.map((thing, index) => h('li', { hidden: index >= foldAt }, thing));
  const place = h('ul', { class: 'names' }, items);
  if (things.length <= foldAt) return place;
  const more = things.length - foldAt;
  const button = h('button', { type: 'button', class: 'chip', 'aria-expanded': 'false', onclick() {
    const isOpen = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!isOpen));
    button.textContent = isOpen ? t('movie.more', more) : t('movie.less');
    items.slice(foldAt).forEach((item) => { item.hidden = isOpen; });
  } }, t('movie.more', more));
  return [place, button];
}

function table(run) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('movie.run') }, h('table', { class: 'data' },
    h('thead', {}, h('tr', {}, [t('movie.date'), t('field.rank'), t('line.audience'), t('line.total'), t('line.screens'), t('line.showings')]
      .map((name, index) => h('th', { scope: 'col', class: index ? 'number' : null }, name)))),
    h('tbody', {}, [...run].reverse().map((day) => h('tr', {},
      h('th', { scope: 'row' }, h('a', { href: `day/${day.date}` }, shortDay(day.date))),
      [day.rank, day.audience, day.audienceTotal, day.screens, day.showings].map((value) => h('td', { class: 'number' }, count(value))))))));
}
