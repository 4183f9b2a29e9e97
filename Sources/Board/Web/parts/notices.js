import { h, icon, say } from '../lib/dom.js';
import { hasWord, t } from '../lib/words.js';

/** The sentence for an error, by its code, its field and the topic of the request: what is wrong, and what to do. */
export const sentence = ({ code, field, message }, topic) => {
  const name = [`error.${code}.${field}`, `error.${code}.${topic}`, `error.${code}`].find(hasWord);
  return name ? t(name) : message ?? t('error.internal');
};

/** Errors that stay however often the visitor tries. */
const isFinal = ({ code }) => ['badRequest', 'dateOutOfRange', 'notFound'].includes(code);

/**
 * A notice in the place of content that cannot be shown; `words` has the sentence for a failure. Its button tries again, or
 * leads to `home` if that is of no use.
 */
export function failed(failure, retry, { title = t('error.title'), words = sentence, home = { href: './', text: t('error.home') } } = {}) {
  say(words(failure));
  return h('section', { class: 'failed', 'data-code': failure.code },
    h('h2', {}, title),
    h('p', {}, words(failure)),
    retry && !isFinal(failure)
      ? h('button', { type: 'button', class: 'primary', onclick: retry }, icon('refresh'), t('retry'))
      : h('a', { class: 'primary', href: home.href }, home.text));
}

/** A line at the edge of the page that disappears by itself. */
export function toast(text) {
  const place = document.getElementById('toasts');
  const line = h('p', { class: 'toast' }, text);
  place?.replaceChildren(line);
  setTimeout(() => line.remove(), 4_000);
}

/** A dialog over the page; Escape, its button, or a click beside it closes it. */
export function openDialog(title, content, name) {
  const dialog = h('dialog', { class: name, 'aria-labelledby': 'dialogTitle', onclick(event) {
    if (event.target === dialog) dialog.close();
  }, onclose: () => dialog.remove() },
    h('div', { class: 'sheet' },
      h('header', {},
        h('h2', { id: 'dialogTitle' }, title),
        h('button', { type: 'button', class: 'quiet', 'aria-label': t('close'), onclick: () => dialog.close() }, icon('close'))),
      content));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
