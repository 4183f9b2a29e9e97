import { h, icon, refill, say } from '../lib/dom.js';
import { address, get, market } from '../lib/api.js';
import { between, clamped, firstChart, isDate, plus, yesterday } from '../lib/dates.js';
import { count, range as formatRange, shortDay, sumOfKnown } from '../lib/format.js';
import { live } from '../lib/live.js';
import { addWords, langOf, t, titleOf } from '../lib/words.js';
import { bumpDrawing } from '../parts/bump.js';
import { png, save, standalone, tints } from '../parts/drawing.js';
import { filterControls, filtersIn } from '../parts/filters.js';
import { failed } from '../parts/notices.js';
import { dayTotals, weekDrawing, weekSums, yearDrawing } from '../parts/weeks.js';

addWords({
  'history.title': ['흥행 추이', 'Trends'],
  'history.from': ['시작일', 'From'],
  'history.to': ['종료일', 'To'],
  'history.days': ['최근 {0}일', '{0} days'],
  'history.year': ['올해', 'This year'],
  'history.ranks': ['순위 추이', 'Ranks'],
  'history.ranksNote': ['선이나 영화명을 선택하면 해당 영화가 강조됩니다. Tab 키와 Enter 키로도 선택할 수 있습니다.', 'Select a line or a title to highlight a movie, also with Tab and Enter.'],
  'history.weeks': ['주간 관객수 추이', 'Admissions by week'],
  'history.partNote': ['빗금 친 막대는 일부 날짜가 아직 수집되지 않은 주입니다.', 'Some days of hatched weeks are not on record yet.'],
  'history.cutNote': ['흐린 막대는 일부 날짜만 선택한 기간에 포함된 주입니다.', 'Of pale weeks only some days are in the period.'],
  'history.part': ['{1}일 중 {0}일 수집', '{0} of {1} days on record'],
  'history.cut': ['기간 내 {0}일', '{0} days of the period'],
  'history.glance': ['{0}년 일별 관객수', 'Admissions by day in {0}'],
  'history.glanceNote': ['색상별 관객수는 아래 범례와 같습니다. 회색 칸은 아직 수집되지 않은 날짜입니다.', 'The scale below says how many admissions a colour stands for. Grey days are not on record yet.'],
  'history.table': ['표로 보기', 'Show as a table'],
  'history.others': ['기타', 'Others'],
  'history.csv': ['CSV 다운로드', 'Download CSV'],
  'history.svg': ['SVG', 'SVG'],
  'history.png': ['PNG', 'PNG'],
  'history.save': ['{0}: {1} 다운로드', 'Download {0} as {1}'],
  'history.movie': ['영화', 'Movie'],
  'history.week': ['주 시작일', 'Week of'],
  'history.day': ['날짜', 'Day'],
  'history.knownDays': ['수집 일수', 'Days on record'],
  'history.daysOf': ['{1}일 중 {0}일', '{0} of {1}'],
  'history.daysIn': ['10위권 진입 일수', 'Days in the chart'],
  'history.best': ['최고 순위', 'Best rank'],
  'history.firstLast': ['시작 순위 → 마지막 순위', 'First → last rank'],
  'history.audience': ['관객수', 'Admissions'],
  'history.none': ['이 기간의 박스오피스가 아직 수집되지 않았습니다. 박스오피스 메뉴에서 날짜를 선택하거나 운영자에게 과거 데이터 수집을 요청하세요.', 'No chart of this period is on record yet. Open days in the box office, or ask the operator for a backfill.'],
  'history.known': ['{1}일 중 {0}일 수집', '{0} of {1} days on record'],
  'history.knownWeeks': ['{0}주 수집(주 단위)', '{0} weeks on record, by week'],
  'history.all': ['전체', 'All'],
  'history.weeksIn': ['10위권 진입 주수', 'Weeks in the chart'],
  'history.movieLine': ['{0}: 최고 {1}위', '{0}: best No. {1}'],
  'history.bumpLabel': ['{0}부터 {1}까지의 영화별 순위 추이. 같은 내용이 아래 표에 있습니다.', 'Ranks of the movies from {0} to {1} as lines. The table below has the same data.'],
  'history.weeksLabel': ['{0}주간 10위권 영화의 관객수, 합계 {1}명', 'Admissions of the top ten in {0} weeks, {1} added up'],
  'history.yearLabel': ['{0}년 중 {1}일의 10위권 관객수, 합계 {2}명', 'Admissions of the top ten on {1} days of {0}, {2} added up'],
});

/** How many movies are drawn and listed at most; more than twenty years have thousands. */
const most = 300;

/** What is wrong with the days of an address; null if nothing is. */
function faultIn(query) {
  for (const field of ['from', 'to']) {
    const day = query.get(field);
    if (day === null || day === '') continue;
    if (!isDate(day)) return { code: 'badRequest', field };
    if (clamped(day) !== day) return { code: 'dateOutOfRange', field };
  }
  return null;
}

/** Placeholders for the drawings, about as high as they will be. */
const skeleton = () => Array.from({ length: 3 }, () => h('section', { class: 'card wide skeleton', 'aria-hidden': 'true' },
  h('span', { class: 'bone' }), h('span', { class: 'bone drawing' })));

/** Ranks and audience over a range of days. */
export function show(main, { query, go, signal }) {
  const fault = faultIn(query);
  const to = isDate(query.get('to') ?? '') ? clamped(query.get('to')) : yesterday();
  let from = isDate(query.get('from') ?? '') ? clamped(query.get('from')) : clamped(plus(to, -29));
  if (from > to) from = to;
  const filters = filtersIn(query);
  const { word } = market(filters);
  document.title = `${t('history.title')} · marquee`;
  const body = h('div', { class: 'history' });
  const state = h('p', { class: 'state' });
  const range = `from=${from}&to=${to}${word === 'all' ? '' : `&market=${encodeURIComponent(word)}`}`;

  const path = (values) => {
    const query = new URLSearchParams(Object.entries({ from, to, ...filters, ...values }).filter(([, value]) => value));
    return `history?${query}`;
  };
  // Native date inputs write days as the browser's language does, which may not be the page's.
  const day = (name, value) => h('button', { type: 'button', class: 'plain date', name, onclick: async () => {
    const { openCalendar } = await import('../parts/calendar.js');
    openCalendar({ chosen: value, market: word, choose: (chosen) => go(path({ [name]: chosen })) });
  } }, icon('calendar'), h('span', {}, t(`history.${name}`)), h('strong', {}, shortDay(value)));
  const newest = yesterday();
  const preset = (text, start) => h('a', { class: 'segment', href: path({ from: clamped(start), to: newest }), 'aria-current': from === clamped(start) && to === newest ? 'true' : null }, text);

  main.replaceChildren(
    h('div', { class: 'head' },
      h('div', { class: 'title' }, h('h1', {}, t('history.title')), state,
        h('a', { class: 'plain', href: address(`history.csv?${range}`), download: `marquee-${from}-${to}.csv` }, t('history.csv'))),
      h('div', { class: 'tools' }, day('from', from), day('to', to),
        h('div', { class: 'segments' }, [30, 90].map((days) => preset(t('history.days', days), plus(newest, 1 - days))), preset(t('history.year'), `${newest.slice(0, 4)}-01-01`), preset(t('history.all'), firstChart))),
      h('div', { class: 'tools filters' }, filterControls(filters, (changed) => go(path(changed))))),
    body);

  if (fault) return body.replaceChildren(failed(fault, null, { home: { href: 'history', text: t('history.days', 30) } }));
  body.replaceChildren(skeleton());
  let timer = null;
  /** The code of the selected movie. */
  let picked = null;
  /** The places of drawings, and how each is drawn in its width. */
  const places = new WeakMap();

  async function load() {
    try {
      const [answer, year] = await Promise.all([get(`history?${range}`, signal), yearOf(to)]);
      const history = { from, to, ...answer };
      state.textContent = history.step === 'week' ? t('history.knownWeeks', count(history.days.length)) : t('history.known', count(history.days.length), count(between(from, to) + 1));
      refill(body, [history, year], () => {
        say(state.textContent);
        return history.days.length ? sections(history, year) : h('p', { class: 'notice' }, t('history.none'));
      });
      // At once: an observer is called when the cards have been seen without their drawings, which would then move them.
      for (const place of body.querySelectorAll('.chartPlace')) places.get(place)?.();
      follow();
    } catch (failure) {
      if (failure.name !== 'AbortError') refill(body, failure, () => failed(failure, load));
    }
  }

  /** Highlights one movie, or none. */
  function follow() {
    body.classList.toggle('picking', picked !== null);
    for (const element of body.querySelectorAll('[data-code]')) {
      element.classList.toggle('picked', element.dataset.code === picked);
      if (element.hasAttribute('aria-pressed')) element.setAttribute('aria-pressed', String(element.dataset.code === picked));
    }
  }

  function pick(code) {
    picked = picked === code ? null : code;
    follow();
  }

  /** The whole year in which the range ends. */
  async function yearOf(date) {
    const year = Number(date.slice(0, 4));
    const [first, last] = [clamped(`${year}-01-01`), clamped(`${year}-12-31`)];
    const history = await get(`history?from=${first}&to=${last}${word === 'all' ? '' : `&market=${encodeURIComponent(word)}`}`, signal);
    return { year, history };
  }

  function sections(history, { year, history: whole }) {
    const legend = h('ul', { class: 'movies' }, history.movies.slice(0, tints).map((movie, index) =>
      h('li', {}, h('button', { type: 'button', class: `chip tint${index}`, 'aria-pressed': 'false', 'data-code': movie.code, onclick: () => pick(movie.code) },
        h('span', { class: 'swatch', 'aria-hidden': 'true' }), h('span', { lang: langOf(titleOf(movie)) }, titleOf(movie))))));
    const keys = history.movies.slice(0, tints).map((movie, index) => ({ kind: `tint${index}`, text: titleOf(movie) }));
    const period = formatRange(from, to);
    const largest = { ...history, movies: history.movies.slice(0, most) };
    return [
      figure({ title: t('history.ranks'), period, keys, file: `marquee-ranks-${from}-${to}`, draw: (width) => bumpDrawing(largest, width, pick),
        head: [h('p', { class: 'state' }, t('history.ranksNote')), legend], table: movieTable(largest) }),
      figure({ title: t('history.weeks'), period, keys: [...keys, { kind: 'rest', text: t('history.others') }], file: `marquee-weeks-${from}-${to}`,
        draw: (width) => weekDrawing(history, width), head: weekNotes(history), table: weekTable(history) }),
      figure({ title: t('history.glance', year), period: formatRange(`${year}-01-01`, clamped(`${year}-12-31`)), file: `marquee-${year}`, draw: (width) => yearDrawing(whole, year, width),
        head: h('p', { class: 'state' }, t('history.glanceNote')), table: dayTable(whole) }),
    ];
  }

  /**
   * A drawing with a heading, its exports and a table of the same data; drawn again when its width changes. What is saved
   * has the title, the period and the keys to the colours, too.
   */
  function figure({ title, period, keys, file, draw, head, table }) {
    const place = h('div', { class: 'scroll chartPlace', tabindex: '0', role: 'region', 'aria-label': title });
    let width = 0;
    const fit = () => {
      if (!place.clientWidth || Math.abs(place.clientWidth - width) < 2) return;
      width = place.clientWidth;
      place.replaceChildren(draw(Math.max(260, width)));
      follow();
    };
    places.set(place, fit);
    const observer = new ResizeObserver(fit);
    observer.observe(place);
    signal.addEventListener('abort', () => observer.disconnect());
    const saveAs = (kind, make) => h('button', { type: 'button', class: 'chip', 'aria-label': t('history.save', title, t(`history.${kind}`)), onclick: async () => save(await make(place.firstChild, { title, period, keys }), `${file}.${kind}`) }, t(`history.${kind}`));
    return h('section', { class: 'card wide' }, h('header', {}, h('h2', {}, title), h('span', { class: 'exports' }, saveAs('svg', standalone), saveAs('png', png))), head, place,
      h('details', {}, h('summary', {}, t('history.table')), table));
  }

  live.on('chart', (update) => {
    if (update.span !== 'day' || update.market !== word || update.firstDay < from || update.firstDay > to) return;
    // A backfill sends many updates at once.
    clearTimeout(timer);
    timer = setTimeout(load, 500);
  }, signal);
  live.on('reset', load, signal);
  load();
}

const words = (...names) => names.map((name) => t(`history.${name}`));

function table(title, headings, rows) {
  return h('div', { class: 'scroll tall', tabindex: '0', role: 'region', 'aria-label': title }, h('table', { class: 'data' },
    h('thead', {}, h('tr', {}, headings.map((heading, index) => h('th', { scope: 'col', class: index ? 'number' : null }, heading)))),
    h('tbody', {}, rows.map(([first, ...figures]) => h('tr', {}, h('th', { scope: 'row' }, first), figures.map((figure) => h('td', { class: 'number' }, figure)))))));
}

function movieTable({ step, movies }) {
  const rank = (value) => (value === null || value === undefined ? '–' : t('line.rank', value));
  return table(t('history.ranks'), [...words('movie', step === 'week' ? 'weeksIn' : 'daysIn', 'best', 'firstLast'), t('line.total')], movies.map((movie) => {
    const ranks = movie.points.map((point) => point[1]).filter((value) => value !== null);
    return [h('a', { href: `movie/${movie.code}`, lang: langOf(titleOf(movie)) }, titleOf(movie)), count(movie.points.length), rank(ranks.length ? Math.min(...ranks) : null),
      `${rank(ranks[0])} → ${rank(ranks.at(-1))}`, count(movie.audienceTotal)];
  }));
}

/** Why weeks are hatched or pale, where some are. */
function weekNotes(history) {
  const { known, inRange } = weekSums(history);
  return [
    known.some((days, week) => days < inRange[week]) && h('p', { class: 'state' }, t('history.partNote')),
    known.some((days, week) => days === inRange[week] && days < 7) && h('p', { class: 'state' }, t('history.cutNote')),
  ];
}

function weekTable(history) {
  const { starts, known, inRange, layers } = weekSums(history);
  return table(t('history.weeks'), [...words('week', 'knownDays', 'audience'), ...layers.map(({ title }) => h('span', { lang: langOf(title) }, title))], starts.map((start, week) =>
    [h('a', { href: `week/${start}` }, shortDay(start)), t('history.daysOf', known[week], inRange[week]), count(sumOfKnown(layers.map(({ sums }) => sums[week]))), ...layers.map(({ sums }) => count(sums[week]))]));
}

function dayTable(history) {
  return table(t('history.table'), words('day', 'audience'), [...dayTotals(history)].reverse().map(([day, total]) => [h('a', { href: `day/${day}` }, shortDay(day)), count(total)]));
}
