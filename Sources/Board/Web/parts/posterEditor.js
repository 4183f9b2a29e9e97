import { h, refill } from '../lib/dom.js';
import { outcome } from '../lib/requests.js';
import { becomesOperator, offer } from '../lib/visitor.js';
import { addWords, langOf, t } from '../lib/words.js';
import { toast } from './notices.js';

addWords({
  'poster.change': ['포스터 바꾸기', 'Change the poster'],
  'poster.searched': ['검색어: {0} · {1}번째 결과', 'Search: {0} · hit {1}'],
  'poster.none': ['검색어: {0} · 결과 없음', 'Search: {0} · no hit'],
  'poster.chosen': ['운영자가 지정한 포스터입니다.', 'The operator has chosen this poster.'],
  'poster.reject': ['다음 검색 결과로 바꾸기', 'Take the next hit'],
  'poster.address': ['이미지 주소', 'Address of an image'],
  'poster.take': ['이 이미지로 바꾸기', 'Take this image'],
  'poster.why': ['운영자만 포스터를 바꿀 수 있습니다. 로그인은 12시간 동안 유지됩니다.', 'Only the operator can change posters. You stay signed in for twelve hours.'],
  'poster.changed': ['포스터를 바꿨습니다.', 'The poster was changed.'],
  'poster.failed': ['포스터를 바꾸지 못했습니다. 이미지 주소를 확인하고 다시 시도하세요.', 'The poster was not changed. Check the address of the image and try again.'],
});

/** What was searched for a movie's poster, with which the operator replaces a wrong one; hidden from everybody else. */
export function posterEditor(code, signal) {
  const origin = h('p', {});
  const reject = h('button', { type: 'button', class: 'plain', onclick: () => change({ reject: true }) }, t('poster.reject'));
  const address = h('input', { type: 'text', inputmode: 'url', name: 'url', required: true, maxlength: 2048, pattern: 'https?://.+', placeholder: 'https://', 'aria-label': t('poster.address') });
  const form = h('form', { onsubmit(event) {
    event.preventDefault();
    change({ url: address.value.trim() });
  } }, address, h('button', { type: 'submit', class: 'plain' }, t('poster.take')));
  const element = h('details', { class: 'posterEditor', hidden: true }, h('summary', {}, t('poster.change')), origin, reject, form);
  offer(element, signal);

  async function change(fields) {
    try {
      if (!(await becomesOperator(t('poster.why'), signal))) return;
      element.setAttribute('aria-busy', 'true');
      const done = await outcome('poster', { code, ...fields }, signal);
      const isChanged = !done?.problems?.length;
      if (isChanged) address.value = '';
      toast(t(isChanged ? 'poster.changed' : 'poster.failed'));
    } catch (failure) {
      if (failure.name !== 'AbortError') toast(t('poster.failed'));
    } finally {
      element.removeAttribute('aria-busy');
    }
  }

  return {
    element,
    draw({ version, query, hit, isChosen }) {
      reject.hidden = !version;
      refill(origin, [query, hit, isChosen], () => (isChosen ? t('poster.chosen') : query && searched(query, hit)));
    },
  };
}

/** What was searched, marked where it is not in the page's language. */
function searched(query, hit) {
  const [before, after] = t(hit ? 'poster.searched' : 'poster.none', '\n', hit).split('\n');
  return [before, h('span', { lang: langOf(query) }, query), after];
}
