import { h } from '../lib/dom.js';
import { instant, shortDay } from '../lib/format.js';
import { addWords, hasWord, langOf, language, t, titleOf } from '../lib/words.js';

addWords({
  'rule.entered': ['신규 진입', 'New in the chart'],
  'rule.left': ['10위권 이탈', 'Out of the top ten'],
  'rule.rose': ['순위 상승', 'Up in the chart'],
  'rule.fell': ['순위 하락', 'Down in the chart'],
  'rule.lead': ['1위 교체', 'New No. 1'],
  'rule.reentered': ['재진입', 'Back in the chart'],
  'rule.opening': ['개봉', 'Opening day'],
  'rule.streak': ['연속 1위', 'Days at No. 1'],
  'rule.milestone': ['누적 관객 돌파', 'Milestone'],
  'rule.best': ['일일 최다 관객', 'Best day'],
  'rule.screens': ['스크린수 변동', 'Change of screens'],
  'rule.correction': ['관객수 정정', 'Correction'],
  'rule.anomaly': ['데이터 이상', 'Problem in the data'],
  'rule.priceFell': ['가격 인하', 'Price down'],
  'rule.priceRose': ['가격 인상', 'Price up'],
  'rule.newDiscount': ['할인 시작', 'On sale'],
  'rule.soldOut': ['품절', 'Sold out'],
  'rule.backInStock': ['재입고', 'Back in stock'],
  'rule.newProduct': ['신상품', 'New product'],
  'rule.productRemoved': ['판매 종료', 'No longer in the shop'],
  'alert.retracted': ['취소됨', 'Retracted'],
  'alert.retraction': ['정정에 따른 알림 취소', 'Retraction'],
  'alert.day': ['{0} 기준', 'Figures of {0}'],
  'alert.time': ['{0} 발생', 'Fired {0}'],
});

/** The rule in words, the same as the notifier's (AlertRule+Name.swift). */
export const ruleName = (rule) => (hasWord(`rule.${rule}`) ? t(`rule.${rule}`) : rule);

/** The glyph of a rule, so that nothing is shown by colour alone. */
const glyphs = { entered: '＋', left: '－', rose: '▲', fell: '▼', lead: '★', reentered: '↩', opening: '◆', streak: '★', milestone: '⚑', best: '↑', screens: '▦', correction: '✎', anomaly: '!', priceFell: '▼', priceRose: '▲', newDiscount: '%', soldOut: '－', backInStock: '↩', newProduct: '＋', productRemoved: '✕' };

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
    h('span', { class: `rule ${alert.rule}` }, h('span', { class: 'glyph', 'aria-hidden': 'true' }, glyphs[alert.rule] ?? '●'), ruleName(alert.rule)),
    retractedBy ? h('del', {}, words) : words,
    h('span', { class: 'when' },
      retractedBy && h('strong', {}, t('alert.retracted')), alert.retracts && h('strong', {}, t('alert.retraction')),
      alert.date && !alert.product && h('a', { href: `day/${alert.date}` }, t('alert.day', shortDay(alert.date))),
      h('time', { datetime: time }, t('alert.time', instant(time)))));
}
