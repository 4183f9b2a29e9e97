import { h, icon, say } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { instant } from '../lib/format.js';
import { live } from '../lib/live.js';
import { order, question } from '../lib/shop.js';
import { inShop, sentence } from '../lib/shopWords.js';
import { langOf, t } from '../lib/words.js';
import { gallery } from '../parts/gallery.js';
import { cost, stock } from '../parts/product.js';
import { failed, openDialog, toast } from '../parts/notices.js';
import { askForPassword, rights } from '../parts/writer.js';

/** A product: its images, price and description. */
export function show(main, { words, go, signal }) {
  const id = Number(words[1]);
  document.title = `${t('shop.title')} · marquee`;
  if (!Number.isSafeInteger(id) || id < 1) return main.replaceChildren(failed({ code: 'notFound' }, null, inShop()));
  main.replaceChildren(h('p', { class: 'state' }, t('shop.asked')));
  const actions = h('div', { class: 'actions' });
  let answer = null;

  async function load() {
    try {
      answer = await get(`products/${id}`, signal);
      draw();
    } catch (failure) {
      if (failure.name === 'AbortError') return;
      if (failure.code !== 'unknown' && !answer) main.replaceChildren(failed(failure, load, inShop()));
    }
  }

  /** Requests the product from the worker, whose answer is at most a minute old; a change comes as a live update. */
  async function ask() {
    try {
      await question('fetch.product', { product: id }, signal);
      if (!answer?.isWhole) await load();
    } catch (failure) {
      if (failure.name === 'AbortError' || answer?.isRemoved) return;
      if (failure.code === 'notFound' || !answer) main.replaceChildren(failed(failure, failure.retryable ? () => { load(); ask(); } : null, inShop()));
    }
  }

  function draw() {
    const { product, imageVersions, isRemoved } = answer;
    document.title = `${product.name} · marquee`;
    // The same images stay where the visitor has moved them.
    const key = JSON.stringify(imageVersions);
    const known = main.querySelector(`.side[data-key='${CSS.escape(key)}']`);
    const vendor = product.vendors.name ?? t('shop.vendorNumber', product.vendors.id);
    main.replaceChildren(h('article', { class: 'product', 'data-product': id },
      h('p', { class: 'back' }, h('a', { class: 'plain', href: 'shop' }, icon('back'), t('shop.back'))),
      known ?? h('div', { class: 'side', 'data-key': key }, gallery(product, imageVersions)),
      h('div', { class: 'about' },
        h('header', {}, h('h1', { lang: langOf(product.name) }, product.name), h('div', { class: 'offer' }, cost(product), isRemoved ? null : stock(product))),
        isRemoved ? h('p', { class: 'notice' }, t('shop.removed')) : actions,
        h('p', { class: 'description', lang: langOf(product.description ?? '') }, product.description ?? (answer.isWhole ? t('shop.noDescription') : t('shop.asked'))),
        h('dl', {}, [['vendor', vendor], ['created', instant(product.createdAt)], ['issued', instant(product.issuedAt)], ['number', product.id]]
          .map(([name, value]) => h('div', {}, h('dt', {}, t(`shop.${name}`)), h('dd', { lang: langOf(value) }, value)))))));
    if (!answer.spoken) say(product.name);
  }

  function drawActions({ canBeWritten, isSignedIn }) {
    if (!canBeWritten || !isSignedIn) return actions.replaceChildren();
    return actions.replaceChildren(
      h('a', { class: 'plain', href: `shop/${id}/edit` }, t('write.change')),
      h('button', { type: 'button', class: 'plain danger', onclick: () => confirmRemoval() }, t('write.remove')));
  }

  function confirmRemoval() {
    const fault = h('p', { class: 'fault', role: 'alert' });
    const remove = h('button', { type: 'button', class: 'primary danger', onclick: () => run() }, t('write.remove'));
    const keep = h('button', { type: 'button', class: 'plain', onclick: () => dialog.close() }, t('write.keep'));
    const dialog = openDialog(t('write.removeTitle'), h('div', { class: 'removal' },
      h('p', {}, t('write.removeLong', answer.product.name)), fault, h('div', { class: 'actions' }, remove, keep)), 'removal');
    keep.focus();

    async function run() {
      remove.setAttribute('aria-busy', 'true');
      remove.disabled = true;
      fault.textContent = t('write.removing');
      try {
        await order('product.remove', { product: id }, { signal });
        dialog.close();
        toast(t('shop.gone'));
        go('shop');
      } catch (failure) {
        if (failure.name === 'AbortError') return;
        fault.textContent = '';
        if (failure.code === 'unauthorized' && failure.field === 'password') {
          if (await askForPassword()) return run();
        } else fault.textContent = sentence(failure);
      }
      remove.disabled = false;
      remove.removeAttribute('aria-busy');
    }
  }

  live.on('product', (update) => update.id === id && load(), signal);
  live.on('products', () => answer && load(), signal);
  live.on('reset', load, signal);
  rights(signal).then(drawActions, () => { /* Without the board there is nothing to change. */ });
  load();
  ask();
}
