import { h, icon, say } from '../lib/dom.js';
import { ask, get, market } from '../lib/api.js';
import { clamped, firstChart, isDate, length, newest, plus, span as spanOf } from '../lib/dates.js';
import { count, day, instant, longDay, range, sumOfKnown } from '../lib/format.js';
import { live } from '../lib/live.js';
import { outcome } from '../lib/requests.js';
import { settings } from '../lib/settings.js';
import { becomesOperator, offer, visitor } from '../lib/visitor.js';
import { language, t, titleOf } from '../lib/words.js';
import { filterControls, filtersIn } from '../parts/filters.js';
import { lines, modeButton, orders, setPoster, skeleton } from '../parts/lines.js';
import { failed, openDialog, sentence, toast } from '../parts/notices.js';

const spans = ['day', 'weekend', 'week', 'weekdays'];
/** Movies whose facts this page has requested, so that it requests them only once. */
const askedMovies = new Set();

/** The chart of a day or a week. */
export function show(main, { words, query, go, signal }) {
  const span = spans.includes(words[0]) ? words[0] : 'day';
  const wanted = words[1] ?? newest(span);
  new ChartPage(main, { span, wanted, filters: filtersIn(query), go, signal, isHome: !words.length }).begin();
}

/** The newest day before another one whose chart is known; undefined if there is none in two years. */
async function newestKnown(before, market, signal) {
  const query = market === 'all' ? '' : `?market=${encodeURIComponent(market)}`;
  const year = Number(before.slice(0, 4));
  const years = await Promise.all([year - 1, year].map((year) => get(`calendar/${year}${query}`, signal)));
  return years.flatMap(({ days }) => days.map(({ date }) => date)).findLast((day) => day < before);
}

class ChartPage {
  /** `isHome`: the address names no day. */
  constructor(main, { span, wanted, filters, go, signal, isHome }) {
    Object.assign(this, { main, span, filters, go, signal, isHome });
    /** The day whose chart this one stands for, while that is not known. */
    this.instead = null;
    this.wanted = wanted;
    /** The code of what is wrong with the address; null if nothing is. */
    this.fault = !isDate(wanted) ? 'badRequest' : clamped(wanted) !== wanted ? 'dateOutOfRange' : null;
    // Any day of a week leads to the week's chart. The links of an address that has none start from the nearest one.
    this.first = isDate(wanted) ? spanOf(span, clamped(wanted))[0] : newest(span);
    this.last = spanOf(span, this.first)[1];
    this.market = market(filters);
    this.mode = settings.get('mode', 'list');
    this.order = settings.get('order', 'line');
    this.answer = null;
  }

  get topic() {
    const { span, market, first } = this;
    return span === 'day' ? `ranking.day.${market.word}.${first}` : `ranking.week.${market.word}.${span}.${first}`;
  }

  get path() {
    const query = this.market.word === 'all' ? '' : `?market=${encodeURIComponent(this.market.word)}`;
    return (this.span === 'day' ? `days/${this.first}` : `weeks/${this.span}/${this.first}`) + query;
  }

  /** The address of another chart: parts that are not named stay as they are. */
  address({ span = this.span, day = this.first, filters = this.filters } = {}) {
    const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value));
    return `${span}/${spanOf(span, clamped(day))[0]}${query.size ? `?${query}` : ''}`;
  }

  get title() {
    if (!isDate(this.wanted)) return this.wanted;
    if (this.fault) return longDay(this.wanted);
    return this.span === 'day' ? longDay(this.first) : range(this.first, this.last);
  }

  /** What the page is called outside it. */
  get name() {
    return t('chart.page', this.title, t(`chart.${this.span}`));
  }

  begin() {
    document.title = `${this.name} · marquee`;
    this.body = h('div', { class: 'body', 'aria-live': 'off' });
    this.state = h('p', { class: 'state' });
    this.trouble = h('div', { class: 'trouble' });
    this.main.replaceChildren(this.head(), this.trouble, this.body);
    if (this.fault) return this.body.replaceChildren(failed({ code: this.fault, field: 'date' }));
    live.on('chart', (update) => update.topic === this.topic && this.load(), this.signal);
    live.on('reset', () => this.load(), this.signal);
    live.on('poster', (update) => this.setPoster(update), this.signal);
    // The chart's English titles are in the facts about its movies.
    if (language() === 'en') live.on('movie', (update) => this.loadTitles(update), this.signal);
    this.pullable();
    this.body.replaceChildren(skeleton(this.mode));
    this.load();
  }

  // The head: the title, and links to other charts.

  head() {
    this.refreshButton = h('button', { type: 'button', class: 'plain', hidden: true, onclick: () => this.refresh() },
      icon('refresh'), h('span', {}, t('chart.refresh')));
    if (!this.fault) offer(this.refreshButton, this.signal);
    return h('div', { class: 'head' },
      h('p', { class: 'pull', 'aria-hidden': 'true' }, icon('refresh'), t('chart.pull')),
      h('div', { class: 'title' }, h('h1', {}, this.title), this.state, this.refreshButton),
      h('div', { class: 'tools' },
        h('div', { class: 'steps', role: 'group', 'aria-label': t('chart.calendar') },
          this.step(-1, 'back', 'chart.previous'),
          h('button', { type: 'button', class: 'plain calendar', onclick: () => this.openCalendar() },
            icon('calendar'), h('span', {}, t('chart.calendar'))),
          this.step(1, 'forward', 'chart.next')),
        this.modes = h('div', { class: 'segments modes', role: 'group', 'aria-label': t('chart.mode') }),
        h('div', { class: 'segments spans', role: 'group', 'aria-label': t('chart.span') }, spans.map((span) =>
          h('a', { href: this.address({ span, day: span === 'day' ? this.last : this.first }), 'aria-current': span === this.span ? 'true' : null }, t(`chart.${span}`))))),
      h('div', { class: 'tools filters' },
        filterControls(this.filters, (changed) => this.go(this.address({ filters: { ...this.filters, ...changed } }))),
        this.orderChoice()));
  }

  step(direction, glyph, name) {
    // From a day out of range the arrow leads to the nearest chart.
    const isBack = this.fault && (direction < 0) === (this.wanted > this.first);
    const day = isBack ? this.first : plus(this.first, direction * length(this.span));
    const isThere = direction < 0 ? spanOf(this.span, this.first)[0] > firstChart : day <= newest(this.span);
    const label = t(name, t(`chart.unit.${this.span}`));
    return isThere
      ? h('a', { class: 'button', href: this.address({ day }), 'aria-label': label, title: label }, icon(glyph))
      : h('span', { class: 'button', 'aria-disabled': 'true', role: 'link', 'aria-label': label }, icon(glyph));
  }

  orderChoice() {
    return h('label', { class: 'choice push' }, h('span', { class: 'spoken' }, t('chart.sort')),
      h('select', { name: 'order', onchange: (event) => {
        this.order = event.target.value;
        settings.set('order', this.order);
        this.draw();
      } }, Object.keys(orders).map((order) => h('option', { value: order, selected: order === this.order }, t(`chart.sort.${order}`)))));
  }

  drawModes() {
    this.modes.replaceChildren(...['list', 'grid'].map((mode) => modeButton(mode, this.mode, (chosen) => {
      this.mode = chosen;
      settings.set('mode', chosen);
      this.draw();
      this.modes.querySelector('[aria-pressed=true]').focus();
    })));
  }

  async openCalendar() {
    const { openCalendar } = await import('../parts/calendar.js');
    openCalendar({ chosen: this.first, market: this.market.word, choose: (day) => this.go(this.address({ day })) });
  }

  // The chart: from the board if it knows it; otherwise the worker fetches it, and it comes as a live update.

  async load() {
    this.drawModes();
    try {
      this.answer = await get(this.path, this.signal);
      for (const entry of this.answer.chart.entries) entry.titleEnglish = this.answer.titlesEnglish[entry.movieCode];
      this.draw();
    } catch (failure) {
      if (failure.name === 'AbortError') return;
      if (failure.code === 'unknown' && !this.answer) return (await this.standIn()) || this.fetch();
      if (!this.answer) this.body.replaceChildren(failed(failure, () => this.again()));
    }
  }

  /** Loads the chart again for the titles of its movies, once for several whose facts come together. */
  loadTitles({ code }) {
    if (!this.answer?.chart.entries.some((entry) => entry.movieCode === code)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.load(), 500);
  }

  again() {
    this.body.replaceChildren(skeleton(this.mode));
    this.load();
  }

  /** At the address without a day, shows the newest chart that is known; returns whether there is one. */
  async standIn() {
    if (!this.isHome || this.instead) return false;
    // Without the calendar the page says what is wrong with the chart itself.
    const known = await newestKnown(this.first, this.market.word, this.signal).catch(() => null);
    if (!known || this.signal.aborted) return this.signal.aborted;
    this.instead = this.first;
    this.wanted = this.first = this.last = known;
    document.title = `${this.name} · marquee`;
    this.main.querySelector('.head').replaceWith(this.head());
    live.on('chart', (update) => update.span === 'day' && update.market === this.market.word && update.firstDay === this.instead && this.showNewest(), this.signal);
    live.on('reset', () => this.showNewest(), this.signal);
    this.load();
    this.askForNewest();
    return true;
  }

  showNewest() {
    this.go(location.href, { replace: true });
  }

  /** Requests the chart that this one stands for, and says above it why it is not there. */
  async askForNewest() {
    const tell = (name, ...more) => this.trouble.replaceChildren(h('p', { class: 'instead', role: 'status' }, t(name, day(this.instead)), more));
    const again = h('button', { type: 'button', class: 'chip', onclick: () => this.askForNewest() }, t('retry'));
    tell('chart.instead.asked');
    try {
      await this.outcome(false, this.instead);
    } catch (failure) {
      if (failure.name === 'AbortError') return;
      if (failure.code === 'notPublished') tell('chart.instead.notPublished', ' ', again);
      else tell('chart.instead', ' ', sentence(failure), ' ', again);
    }
  }

  async fetch() {
    this.state.replaceChildren(t('chart.asked'));
    try {
      await this.outcome(false);
      if (!this.answer) await this.load();
    } catch (failure) {
      if (failure.name === 'AbortError' || this.answer) return;
      this.state.replaceChildren();
      this.body.replaceChildren(failed(failure, () => this.again()));
    }
  }

  /** Requests the chart from the worker, and waits for the outcome. */
  outcome(refresh, date = this.first) {
    const fields = { date, ...this.market.fields };
    if (this.span !== 'day') fields.span = this.span;
    if (refresh) fields.refresh = true;
    return outcome(this.span === 'day' ? 'fetch.day' : 'fetch.week', fields, this.signal);
  }

  /** Has the chart fetched again, for the operator; another visitor is asked to sign in. */
  async refresh() {
    if (this.refreshing) return;
    this.refreshing = true;
    try {
      if (!(await becomesOperator(t('operator.whyRefresh'), this.signal))) return;
      await this.fetchAgain();
    } catch (failure) {
      if (failure.name === 'AbortError') return;
      if (this.answer) this.trouble.replaceChildren(failed(failure, () => this.refresh(), { title: t('chart.notRefreshed') }));
      else this.body.replaceChildren(failed(failure, () => this.again()));
    } finally {
      this.refreshing = false;
    }
  }

  async fetchAgain() {
    this.trouble.replaceChildren();
    this.refreshButton.setAttribute('aria-busy', 'true');
    const revision = this.answer?.chart.revision;
    try {
      await this.outcome(true);
      await this.load();
      toast(t(this.answer?.chart.revision === revision ? 'chart.same' : 'chart.updated'));
    } finally {
      this.refreshButton.removeAttribute('aria-busy');
    }
  }

  draw() {
    this.drawModes();
    if (!this.answer) return;
    const { chart, revisions, posters } = this.answer;
    this.drawState(chart, revisions);
    const entries = [...chart.entries].sort(orders[this.order] ?? orders.line);
    const held = this.body.contains(document.activeElement) && document.activeElement.getAttribute('href');
    this.body.replaceChildren(lines({ entries, posters, day: this.last, mode: this.mode }),
      h('p', { class: 'printed' }, `${this.name} · ${t('footer.source')} · ${new URL(this.address(), document.baseURI)}`));
    if (held) this.body.querySelector(`a[href="${held}"]`)?.focus({ preventScroll: true });
    say(`${this.title}. ${entries.length ? `${t('line.rank', entries[0].rank)} ${titleOf(entries[0])}` : ''}`);
    this.askForMovies(entries, posters);
  }

  drawState(chart, revisions) {
    const figures = chart.entries.map((entry) => entry.audience);
    const known = figures.filter((figure) => figure !== null).length;
    const corrected = revisions.filter((revision) => revision.corrections.length).length;
    this.state.replaceChildren(
      h('span', { class: `chip ${chart.state}`, title: chart.state === 'provisional' ? t('chart.provisionalLong') : instant(revisions.at(-1)?.time) }, t(`chart.${chart.state}`)),
      corrected ? h('button', { type: 'button', class: 'chip corrected', onclick: () => this.openCorrections() }, t('chart.corrected', corrected)) : '',
      h('span', { class: 'sum' }, known || !figures.length ? t(known < figures.length ? 'chart.sumOfKnown' : 'chart.sum', figures.length, count(sumOfKnown(figures)), known) : ''));
  }

  async openCorrections() {
    const { corrections } = await import('../parts/corrections.js');
    openDialog(t('corrections.title'), corrections(this.answer), 'corrections');
  }

  // Posters: unknown ones are requested, one movie at a time.

  async askForMovies(entries, posters) {
    for (const { movieCode } of entries) {
      if (this.signal.aborted) return;
      if (movieCode in posters || askedMovies.has(movieCode)) continue;
      askedMovies.add(movieCode);
      try { await ask('fetch.movie', { code: movieCode }); } catch { return; }
    }
  }

  setPoster({ code, version }) {
    const entry = this.answer?.chart.entries.find((entry) => entry.movieCode === code);
    if (!entry) return;
    this.answer.posters[code] = version;
    for (const place of this.body.querySelectorAll(`.poster[data-code="${code}"]`)) setPoster(place, titleOf(entry), version);
  }

  /** Has the chart fetched again for the operator, and loads what the board has for everybody else. */
  async pulled() {
    try {
      if ((await visitor(this.signal)).isOperator) return await this.refresh();
      const revision = this.answer?.chart.revision;
      await this.load();
      toast(t(this.answer?.chart.revision === revision ? 'chart.same' : 'chart.updated'));
    } catch (failure) {
      if (failure.name !== 'AbortError') this.trouble.replaceChildren(failed(failure, () => this.pulled(), { title: t('chart.notRefreshed') }));
    }
  }

  /** On a phone, pulling the page down brings the newest chart. */
  pullable() {
    let start = null;
    const { signal } = this;
    const pull = (distance) => this.main.style.setProperty('--pull', `${Math.max(0, Math.min(distance, 90))}px`);
    addEventListener('touchstart', (event) => {
      start = scrollY <= 0 && event.touches.length === 1 && !event.target.closest('dialog') ? event.touches[0].clientY : null;
    }, { passive: true, signal });
    addEventListener('touchmove', (event) => {
      if (start !== null) pull((event.touches[0].clientY - start) / 2);
    }, { passive: true, signal });
    addEventListener('touchend', (event) => {
      if (start !== null && event.changedTouches[0].clientY - start > 140) this.pulled();
      start = null;
      pull(0);
    }, { signal });
  }
}
