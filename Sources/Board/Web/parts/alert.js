import { h } from '../lib/dom.js';
import { instant, shortDay } from '../lib/format.js';
import { addWords, langOf, language, t, titleOf } from '../lib/words.js';

addWords({
  'alert.retracted': ['취소됨', 'Retracted'],
  'alert.retraction': ['정정에 따른 알림 취소', 'Retraction'],
  'alert.day': ['{0} 기준', 'Figures of {0}'],
  'alert.time': ['{0} 발생', 'Fired {0}'],
});

/** The headings of alerts in both languages, and their glyphs, as the program has written them into the page. */
const headings = JSON.parse(document.getElementById('rules').textContent);

/** The rule in words. */
export const ruleName = (rule) => headings[rule]?.[language()] ?? rule;

/** The parts of an alert's sentence: before its movie's title, the title, and after it. */
function parts({ alert, titleEnglish }) {
  const text = alert.text?.[language()] ?? alert.title ?? '';
  const at = alert.title ? text.indexOf(alert.title) : -1;
  if (at < 0) return [text, '', ''];
  return [text.slice(0, at), titleOf({ title: alert.title, titleEnglish }), text.slice(at + alert.title.length)];
}

/** A text whose Korean names are marked on the English page. */
const marked = (text) => (langOf(text) ? text.split(koreanWords).map((part) => (langOf(part) ? h('span', { lang: 'ko' }, part) : part)) : text);
const koreanWords = /(\p{Script=Hangul}+(?:[^\p{L}]*\p{Script=Hangul}+)*)/u;

/** An alert's sentence, with the title of its movie as on the rest of the page. */
export const alertText = (item) => parts(item).join('');

/** An alert in a list; a retracted one is struck through, and says so in words. */
export function alertItem(item, { isNew = false } = {}) {
  const { alert, time, retractedBy } = item;
  const text = parts(item).map(marked);
  const about = alert.movieCode ? `movie/${alert.movieCode}` : alert.product ? `shop/${alert.product}` : null;
  const words = about ? h('a', { class: 'title', href: about }, text) : h('span', { class: 'title' }, text);
  return h('li', { class: `alert ${retractedBy ? 'retracted' : ''} ${isNew ? 'fresh' : ''}` },
    h('span', { class: 'rule', 'data-rule': alert.rule }, h('span', { class: 'glyph', 'aria-hidden': 'true' }, headings[alert.rule]?.glyph ?? '●'), ruleName(alert.rule)),
    retractedBy ? h('del', {}, words) : words,
    h('span', { class: 'when' },
      retractedBy && h('strong', {}, t('alert.retracted')), alert.retracts && h('strong', {}, t('alert.retraction')),
      alert.date && !alert.product && h('a', { href: `day/${alert.date}` }, t('alert.day', shortDay(alert.date))),
      h('time', { datetime: time }, t('alert.time', instant(time)))));
}
