import { h, say } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { live } from '../lib/live.js';
import { settings } from '../lib/settings.js';
import { addWords, t } from '../lib/words.js';
import { alertItem, alertText, ruleName } from '../parts/alert.js';
import { failed, toast } from '../parts/notices.js';

addWords({
  'alerts.title': ['알림', 'Alerts'],
  'alerts.rule': ['알림 유형', 'Rule'],
  'alerts.allRules': ['전체 알림', 'All rules'],
  'alerts.movie': ['영화명', 'Movie title'],
  'alerts.none': ['아직 알림이 없습니다. 새 알림이 발생하면 바로 표시됩니다.', 'No alerts yet. They appear here as soon as a chart changes.'],
  'alerts.noneFound': ['조건에 맞는 알림이 없습니다.', 'No alerts match.'],
  'alerts.more': ['더 보기', 'Show more'],
  'alerts.notify': ['브라우저 알림', 'Browser notifications'],
  'alerts.notify.yes': ['켜짐', 'On'],
  'alerts.notify.no': ['꺼짐', 'Off'],
  'alerts.denied': ['브라우저 설정에서 이 사이트의 알림이 차단되어 있습니다.', 'Notifications of this site are blocked in the browser’s settings.'],
});

const pageSize = 50;

/** The alerts as they come, newest first. */
export function show(main, { query, go, signal }) {
  const filter = { rule: query.get('rule') ?? '', movie: query.get('movie') ?? '' };
  document.title = `${t('alerts.title')} · marquee`;
  const list = h('ol', { class: 'alerts' });
  const more = h('button', { type: 'button', class: 'plain', hidden: true, onclick: () => load(true) }, t('alerts.more'));
  const rules = h('select', { name: 'rule', onchange: (event) => change({ rule: event.target.value }) });
  const body = h('div', {}, list, more);
  let oldest = null;
  let typing = null;
  const movie = h('input', { type: 'search', name: 'movie', value: filter.movie, placeholder: t('alerts.movie'), maxlength: 100, oninput(event) {
    clearTimeout(typing);
    typing = setTimeout(() => { filter.movie = event.target.value.trim(); keep(); load(); }, 300);
  } });

  main.replaceChildren(
    h('div', { class: 'head' },
      h('div', { class: 'title' }, h('h1', {}, t('alerts.title')), notifyButton()),
      h('div', { class: 'tools' },
        h('label', { class: 'choice rules' }, h('span', { class: 'spoken' }, t('alerts.rule')), rules),
        h('label', { class: 'choice movie' }, h('span', { class: 'spoken' }, t('alerts.movie')), movie))),
    body);

  function change(values) {
    Object.assign(filter, values);
    keep();
    load();
  }

  /** Writes the filters into the address, so that it can be shared. */
  function keep() {
    const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
    history.replaceState(null, '', new URL(`alerts${query.size ? `?${query}` : ''}`, document.baseURI));
  }

  async function load(isMore = false) {
    const query = new URLSearchParams({ limit: pageSize });
    for (const [name, value] of Object.entries(filter)) if (value) query.set(name, value);
    if (isMore && oldest) query.set('before', oldest);
    try {
      const answer = await get(`alerts?${query}`, signal);
      rules.replaceChildren(...['', ...answer.rules].map((rule) =>
        h('option', { value: rule, selected: rule === filter.rule }, rule ? ruleName(rule) : t('alerts.allRules'))));
      const items = answer.alerts.map((alert) => alertItem(alert));
      if (isMore) list.append(...items);
      else list.replaceChildren(...items);
      oldest = answer.alerts.at(-1)?.sequence ?? oldest;
      more.hidden = answer.alerts.length < pageSize;
      body.querySelector('.notice')?.remove();
      if (!list.children.length) body.prepend(h('p', { class: 'notice' }, t(filter.rule || filter.movie ? 'alerts.noneFound' : 'alerts.none')));
    } catch (failure) {
      if (failure.name !== 'AbortError') body.replaceChildren(failed(failure, () => { body.replaceChildren(list, more); load(); }));
    }
  }

  function matches({ alert, titleEnglish }) {
    const movie = filter.movie.toLowerCase();
    const titles = [alert.title, titleEnglish].filter(Boolean);
    return (!filter.rule || alert.rule === filter.rule)
      && (!movie || alert.movieCode === filter.movie || titles.some((title) => title.toLowerCase().includes(movie)));
  }

  live.on('alert', (update) => {
    // The retracted alert may be anywhere in the list.
    if (update.alert.retracts) return load();
    if (!matches(update)) return;
    body.querySelector('.notice')?.remove();
    list.prepend(alertItem(update, { isNew: true }));
    say(alertText(update));
  }, signal);
  live.on('reset', () => load(), signal);
  load();
}

/** Asks for permission to show notifications only when the visitor presses the button. */
function notifyButton() {
  if (!('Notification' in window)) return null;
  const isOn = () => settings.get('notify') === 'yes' && Notification.permission === 'granted';
  const text = () => `${t('alerts.notify')}: ${t(isOn() ? 'alerts.notify.yes' : 'alerts.notify.no')}`;
  const button = h('button', { type: 'button', class: 'plain', 'aria-pressed': String(isOn()), async onclick() {
    if (isOn()) settings.set('notify', null);
    else if ((await Notification.requestPermission()) === 'granted') settings.set('notify', 'yes');
    else toast(t('alerts.denied'));
    button.textContent = text();
    button.setAttribute('aria-pressed', String(isOn()));
  } }, text());
  return button;
}
