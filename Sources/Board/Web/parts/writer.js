import { h } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { signIn, signOut } from '../lib/shop.js';
import { sentence } from '../lib/shopWords.js';
import { t } from '../lib/words.js';
import { openDialog, toast } from './notices.js';

/** Whether this visitor may write, or could with the password. */
export const rights = (signal) => get('shop', signal);

/** The buttons for visitors who may write; nothing if nobody may. Calls `page` again when that changes. */
export function writer({ go, signal }) {
  const place = h('div', { class: 'writer' });
  const draw = ({ canBeWritten, isSignedIn }) => {
    if (!canBeWritten) return place.replaceChildren();
    if (!isSignedIn) {
      return place.replaceChildren(h('button', { type: 'button', class: 'plain unlock', async onclick() {
        if (await askForPassword()) draw({ canBeWritten, isSignedIn: true });
      } }, t('write.unlock')));
    }
    return place.replaceChildren(
      h('a', { class: 'primary', href: 'shop/new' }, t('write.register')),
      h('button', { type: 'button', class: 'plain', onclick: () => leave(go) }, t('write.lock')));
  };
  rights(signal).then(draw, () => { /* Without the board there is nothing to write to. */ });
  return place;
}

async function leave(go) {
  try {
    await signOut();
    toast(t('write.locked'));
    go('shop', { replace: true });
  } catch (failure) {
    toast(sentence(failure));
  }
}

/** Asks for the board's password until it is right; false if the visitor cancels. */
export function askForPassword({ title = t('write.unlock'), why = t('write.why'), done = t('write.unlocked') } = {}) {
  return new Promise((resolve) => {
    let isRight = false;
    const fault = h('p', { class: 'fault', id: 'passwordFault', role: 'alert' });
    const input = h('input', {
      type: 'password', name: 'password', id: 'password', autocomplete: 'current-password', required: true,
      maxlength: 200, 'aria-describedby': 'passwordWhy passwordFault',
    });
    const button = h('button', { type: 'submit', class: 'primary' }, t('write.enter'));
    const form = h('form', { class: 'password', async onsubmit(event) {
      event.preventDefault();
      button.setAttribute('aria-busy', 'true');
      try {
        await signIn(input.value);
        isRight = true;
        dialog.close();
        toast(done);
      } catch (failure) {
        const words = { unauthorized: 'write.wrong', overloaded: 'write.tooMany' };
        fault.textContent = words[failure.code] ? t(words[failure.code]) : sentence(failure);
        input.setAttribute('aria-invalid', 'true');
        input.select();
      }
      button.removeAttribute('aria-busy');
    } },
      h('p', { class: 'hint', id: 'passwordWhy' }, why),
      h('label', { for: 'password' }, t('write.password')), input, fault, button);
    const dialog = openDialog(title, form, 'password');
    dialog.addEventListener('close', () => resolve(isRight));
    input.focus();
  });
}
