import { h } from '../lib/dom.js';
import { instant, shortDay } from '../lib/format.js';
import { addWords, hasWord, language, t } from '../lib/words.js';

addWords({
  'rule.entered': ['진입', 'Entered'],
  'rule.left': ['이탈', 'Left'],
  'rule.rose': ['상승', 'Rose'],
  'rule.fell': ['하락', 'Fell'],
  'rule.lead': ['1위', 'Leads'],
  'rule.reentered': ['재진입', 'Back'],
  'rule.opening': ['개봉', 'Opens'],
  'rule.streak': ['연속 1위', 'Streak'],
  'rule.milestone': ['돌파', 'Milestone'],
  'rule.best': ['최고의 날', 'Best day'],
  'rule.screens': ['스크린', 'Screens'],
  'rule.correction': ['정정', 'Correction'],
  'rule.anomaly': ['이상', 'Anomaly'],
  'rule.priceFell': ['값 내림', 'Price down'],
  'rule.priceRose': ['값 오름', 'Price up'],
  'rule.newDiscount': ['할인', 'Discount'],
  'rule.soldOut': ['품절', 'Sold out'],
  'rule.backInStock': ['재입고', 'Back in stock'],
  'rule.newProduct': ['새 상품', 'New product'],
  'rule.productRemoved': ['판매 종료', 'Removed'],
  'alert.retracted': ['취소됨', 'Taken back'],
  'alert.retraction': ['취소', 'Retraction'],
});

export const ruleName = (rule) => (hasWord(`rule.${rule}`) ? t(`rule.${rule}`) : rule);

/** The glyph of a rule, so that nothing is shown by colour alone. */
const glyphs = { entered: '＋', left: '－', rose: '▲', fell: '▼', lead: '★', reentered: '↩', opening: '◆', streak: '★', milestone: '⚑', best: '↑', screens: '▦', correction: '✎', anomaly: '!', priceFell: '▼', priceRose: '▲', newDiscount: '%', soldOut: '－', backInStock: '↩', newProduct: '＋', productRemoved: '✕' };

/** An alert in a list; a retracted one is struck through, and says so in words. */
export function alertItem({ alert, time, retractedBy }, { isNew = false } = {}) {
  const text = alert.text?.[language()] ?? alert.title ?? '';
  const about = alert.movieCode ? `movie/${alert.movieCode}` : alert.product ? `shop/${alert.product}` : null;
  const words = about ? h('a', { class: 'title', href: about }, text) : h('span', { class: 'title' }, text);
  return h('li', { class: `alert ${retractedBy ? 'retracted' : ''} ${isNew ? 'fresh' : ''}` },
    h('span', { class: `rule ${alert.rule}` }, h('span', { class: 'glyph', 'aria-hidden': 'true' }, glyphs[alert.rule] ?? '●'), ruleName(alert.rule)),
    retractedBy ? h('del', {}, words) : words,
    h('span', { class: 'when' },
      retractedBy && h('strong', {}, t('alert.retracted')), alert.retracts && h('strong', {}, t('alert.retraction')),
      alert.date && (alert.product ? shortDay(alert.date) : h('a', { href: `day/${alert.date}` }, shortDay(alert.date))),
      h('time', { datetime: time, title: instant(time) }, instant(time))));
}
