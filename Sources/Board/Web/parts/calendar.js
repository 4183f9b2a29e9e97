import { h, icon, spoken } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { clamped, firstChart, plus, weekday, yesterday } from '../lib/dates.js';
import { longDay, month as monthTitle, monthName, weekdayName } from '../lib/format.js';
import { t } from '../lib/words.js';
import { openDialog } from './notices.js';

/** A dialog with the days of a month; days with a known chart are marked, days that can have none are disabled. */
export function openCalendar({ chosen, market, choose }) {
  const known = new Map();
  let focused = clamped(chosen);
  const body = h('div', { class: 'month' });
  const dialog = openDialog(t('calendar.title'), body, 'calendar');

  const text = (year, month, day) => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
  const monthStart = () => `${focused.slice(0, 7)}-01`;
  const monthEnd = () => text(Number(focused.slice(0, 4)), Number(focused.slice(5, 7)), 0);

  function move(day, { focus = true } = {}) {
    focused = clamped(day);
    draw(focus);
  }

  /** The same day of another month, or that month's last day if it is shorter. */
  function moveMonths(months, focus) {
    const [year, month, day] = focused.split('-').map(Number);
    const days = Number(text(year, month + months, 0).slice(8));
    move(text(year, month - 1 + months, Math.min(day, days)), { focus });
  }

  function onkeydown(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, Home: -weekday(focused), End: 6 - weekday(focused) };
    if (event.key in steps) move(plus(focused, steps[event.key]));
    else if (event.key === 'PageUp') moveMonths(event.shiftKey ? -12 : -1, true);
    else if (event.key === 'PageDown') moveMonths(event.shiftKey ? 12 : 1, true);
    else return;
    event.preventDefault();
  }

  function draw(focus) {
    const start = plus(monthStart(), -weekday(monthStart()));
    const weeks = Array.from({ length: 6 }, (_, week) => Array.from({ length: 7 }, (_, day) => plus(start, week * 7 + day)))
      .filter((week) => week.some((day) => day.slice(0, 7) === focused.slice(0, 7)));
    body.replaceChildren(bar(), grid(weeks), h('p', { class: 'legend' }, t('calendar.legend')));
    if (focus) body.querySelector(`[data-day="${focused}"]`)?.focus();
    load(focused.slice(0, 4));
  }

  function bar() {
    const [year, month] = focused.split('-').map(Number);
    const years = Array.from({ length: Number(yesterday().slice(0, 4)) - 2002 }, (_, index) => 2003 + index).reverse();
    const to = (year, month) => move(`${year}-${String(month).padStart(2, '0')}-${focused.slice(8) > '28' ? '28' : focused.slice(8)}`, { focus: false });
    const arrow = (months, glyph, name, isThere) => h('button', { type: 'button', class: 'quiet', 'aria-label': t(name), disabled: !isThere, onclick: () => {
      moveMonths(months, false);
      body.querySelector(`[aria-label="${t(name)}"]`)?.focus();
    } }, icon(glyph));
    return h('div', { class: 'bar' },
      arrow(-1, 'back', 'calendar.previous', monthStart() > firstChart),
      h('label', {}, spoken(t('calendar.year')), h('select', { onchange: (event) => to(Number(event.target.value), month) },
        years.map((value) => h('option', { value, selected: value === year }, t('calendar.yearName', value))))),
      h('label', {}, spoken(t('calendar.month')), h('select', { onchange: (event) => to(year, Number(event.target.value)) },
        Array.from({ length: 12 }, (_, index) => h('option', { value: index + 1, selected: index + 1 === month }, monthName(index))))),
      arrow(1, 'forward', 'calendar.next', monthEnd() < yesterday()));
  }

  function grid(weeks) {
    return h('table', { role: 'grid', 'aria-label': monthTitle(focused), onkeydown },
      h('thead', {}, h('tr', {}, Array.from({ length: 7 }, (_, index) => h('th', { scope: 'col' }, weekdayName(index))))),
      h('tbody', {}, weeks.map((week) => h('tr', {}, week.map(cell)))));
  }

  function cell(day) {
    if (day.slice(0, 7) !== focused.slice(0, 7)) return h('td', { class: 'other' });
    const isThere = day >= firstChart && day <= yesterday();
    const isKnown = known.get(day.slice(0, 4))?.has(day);
    const label = [longDay(day), isKnown && t('calendar.known'), day === chosen && t('calendar.chosen')].filter(Boolean).join(', ');
    return h('td', { 'aria-selected': String(day === chosen) },
      h('button', {
        type: 'button', 'data-day': day, tabindex: day === focused ? '0' : '-1', disabled: !isThere, 'aria-label': label,
        class: [isKnown && 'known', day === chosen && 'chosen'].filter(Boolean).join(' '),
        onclick: () => { dialog.close(); choose(day); },
      }, Number(day.slice(8))));
  }

  async function load(year) {
    if (known.has(year)) return;
    known.set(year, new Set());
    try {
      const { days } = await get(`calendar/${year}${market === 'all' ? '' : `?market=${encodeURIComponent(market)}`}`);
      known.set(year, new Set(days.map(({ date }) => date)));
      const hadFocus = body.contains(document.activeElement) && document.activeElement.dataset.day;
      draw(Boolean(hadFocus));
    } catch {
      // Without the marks every day can still be chosen.
    }
  }

  draw(true);
}
