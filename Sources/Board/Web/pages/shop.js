import { h, icon, say } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { count } from '../lib/format.js';
import { live } from '../lib/live.js';
import { settings } from '../lib/settings.js';
import { question } from '../lib/shop.js';
import { inShop, sentence } from '../lib/shopWords.js';
import { becomesOperator, offer } from '../lib/visitor.js';
import { langOf, t } from '../lib/words.js';
import { cost, productImage, stock } from '../parts/product.js';
import { modeButton } from '../parts/lines.js';
import { failed, toast } from '../parts/notices.js';
import { writer } from '../parts/writer.js';

const perPage = 20;

/** The shop: its list, a product, or a form. */
export async function show(main, at) {
  const [, word, verb] = at.words;
  if (!word) return new ShopPage(main, at).begin();
  const page = word === 'new' || verb === 'edit' ? await import('./productForm.js') : await import('./product.js');
  if (!at.signal.aborted) page.show(main, at);
}

class ShopPage {
  /** The loaded products and their elements, by number. */
  #products = new Map();
  #items = new Map();
  /** The numbers of the products of each loaded page. */
  #pages = new Map();
  #last = 0;
  #hasNext = true;
  #isLoading = false;

  constructor(main, { go, signal }) {
    Object.assign(this, { main, go, signal });
    this.mode = settings.get('shopMode', 'grid');
  }

  async begin() {
    const { main, signal } = this;
    document.title = `${t('shop.title')} · marquee`;
    this.state = h('p', { class: 'state' });
    this.modes = h('div', { class: 'segments push', role: 'group', 'aria-label': t('chart.mode') });
    this.list = h('ol', {});
    this.more = h('button', { type: 'button', class: 'plain', onclick: () => this.next() }, t('shop.more'));
    this.foot = h('div', { class: 'foot' }, this.more);
    this.refreshButton = h('button', { type: 'button', class: 'plain', hidden: true, onclick: () => this.refresh() },
      icon('refresh'), h('span', {}, t('shop.refresh')));
    offer(this.refreshButton, signal);
    this.body = h('div', { class: 'body' }, this.list, this.foot);
    main.replaceChildren(
      h('div', { class: 'head' },
        h('div', { class: 'title' }, h('h1', {}, t('shop.title')), this.state, this.refreshButton),
        h('div', { class: 'tools' }, writer(this), this.modes)),
      this.body);
    this.drawModes();
    this.skeleton();
    live.on('products', (update) => update.perPage === perPage && this.#pages.has(update.page) && this.read(update.page), signal);
    live.on('product', (update) => this.hear(update), signal);
    live.on('reset', () => this.reread(), signal);
    await this.next();
    // The next page is loaded when the end of the list comes near the window.
    const observer = new IntersectionObserver(([entry]) => entry.isIntersecting && this.next(), { rootMargin: '600px' });
    observer.observe(this.foot);
    signal.addEventListener('abort', () => observer.disconnect());
  }

  drawModes() {
    this.list.className = `products ${this.mode}`;
    this.modes.replaceChildren(...['list', 'grid'].map((mode) => modeButton(mode, this.mode, (chosen) => {
      this.mode = chosen;
      settings.set('shopMode', chosen);
      this.#items.clear();
      this.list.replaceChildren();
      this.drawModes();
      this.draw();
      this.modes.querySelector('[aria-pressed=true]').focus();
    })));
  }

  skeleton() {
    this.list.replaceChildren(...Array.from({ length: perPage }, () => h('li', { class: 'bones', 'aria-hidden': 'true' },
      h('span', { class: 'image large' }), h('span', { class: 'bone' }), h('span', { class: 'bone short' }))));
  }

  /** Loads the next page, from the board if it knows it, otherwise from the shop. */
  async next() {
    if (this.#isLoading || !this.#hasNext) return;
    this.#isLoading = true;
    this.more.setAttribute('aria-busy', 'true');
    const page = this.#last + 1;
    try {
      if (!(await this.read(page))) {
        this.state.textContent = t('shop.asked');
        await question('fetch.products', { page, perPage }, this.signal);
        await this.read(page);
      } else {
        this.ask(page);
      }
      this.#last = page;
      this.body.querySelector('.failed')?.remove();
      this.foot.hidden = false;
    } catch (failure) {
      this.fail(failure, page);
    }
    this.#isLoading = false;
    this.more.removeAttribute('aria-busy');
    this.draw();
    this.goOn();
  }

  /** Loads more while the window has room: the observer reports only changes. */
  goOn() {
    if (this.signal.aborted || !this.#hasNext || this.body.querySelector('.failed')) return;
    if (this.foot.getBoundingClientRect().top < innerHeight + 600) this.next();
  }

  fail(failure, page) {
    if (failure.name === 'AbortError') return;
    if (failure.code === 'notFound' && page > 1) {
      this.#hasNext = false;
      return;
    }
    if (this.#items.size === 0) this.list.replaceChildren();
    this.foot.hidden = true;
    this.body.querySelector('.failed')?.remove();
    this.body.append(failed(failure, () => {
      this.body.querySelector('.failed')?.remove();
      this.foot.hidden = false;
      this.next();
    }, inShop()));
  }

  /** Lets the worker fetch a known page again; a change comes as a live update. */
  ask(page) {
    question('fetch.products', { page, perPage }, this.signal).catch(() => { /* What is known stays shown. */ });
  }

  /** Loads a page from the board; false if the board does not know it. */
  async read(page) {
    let answer;
    try {
      answer = await get(`products?page=${page}&perPage=${perPage}`, this.signal);
    } catch (failure) {
      if (failure.code === 'unknown') return false;
      throw failure;
    }
    this.#pages.set(page, answer.products.map(({ product }) => product.id));
    for (const item of answer.products) this.#products.set(item.product.id, item);
    if (page >= this.#last) this.#hasNext = answer.page.hasNext;
    this.total = answer.page.totalCount;
    this.draw();
    return true;
  }

  reread() {
    for (const page of this.#pages.keys()) this.read(page).catch(() => { /* As it was until then. */ });
  }

  /** Applies an update: a product was added, changed or removed. */
  async hear({ id, isRemoved }) {
    if (isRemoved) {
      // The products after it have moved up by one, so the last page is loaded again before the next one.
      if (this.#products.delete(id) && this.#last > 0 && this.#hasNext) this.#last -= 1;
    } else if (this.#products.has(id) || id > Math.max(0, ...this.#products.keys())) {
      try {
        this.#products.set(id, await get(`products/${id}`, this.signal));
        this.#pages.set(0, [...(this.#pages.get(0) ?? []), id]);
      } catch { return; }
    }
    this.draw();
  }

  async refresh() {
    this.refreshButton.setAttribute('aria-busy', 'true');
    try {
      if (!(await becomesOperator(t('operator.whyRefresh'), this.signal))) return;
      await question('fetch.products', { page: 1, perPage, refresh: true }, this.signal);
      await this.read(1);
      toast(t('shop.updated'));
    } catch (failure) {
      if (failure.name !== 'AbortError') toast(sentence(failure));
    } finally {
      this.refreshButton.removeAttribute('aria-busy');
    }
  }

  /** Shows the loaded products, the newest first; elements that are shown already stay. */
  draw() {
    const shown = new Set([...this.#pages.values()].flat());
    const items = [...this.#products.values()].filter(({ product, isRemoved }) => shown.has(product.id) && !isRemoved)
      .sort((a, b) => b.product.id - a.product.id);
    if (this.#pages.size === 0) return;
    const hadFocus = document.activeElement === this.more;
    const known = this.#items.size;
    const elements = items.map((item) => this.element(item));
    let place = this.list.firstElementChild;
    for (const element of elements) {
      if (element === place) place = place.nextElementSibling;
      else this.list.insertBefore(element, place);
    }
    while (place) {
      const next = place.nextElementSibling;
      place.remove();
      place = next;
    }
    // New products push the button out of the window, and the last of them hide it: the focus goes to the first of them.
    if (hadFocus && this.#items.size > known) elements[known]?.querySelector('a').focus();
    this.state.textContent = t('shop.count', count(Math.max(this.total ?? 0, items.length)));
    this.more.hidden = !this.#hasNext;
    this.foot.querySelector('p')?.remove();
    if (!this.#hasNext) this.foot.append(h('p', { class: 'state' }, t(items.length ? 'shop.end' : 'shop.none')));
    if (!this.spoke && items.length) {
      this.spoke = true;
      say(`${t('shop.title')}. ${this.state.textContent}`);
    }
  }

  /** The line or card of a product, made again only if the product has changed. */
  element(item) {
    const text = JSON.stringify([item.product, item.thumbnail, this.mode]);
    const known = this.#items.get(item.product.id);
    if (known?.text === text) return known.element;
    const { product } = item;
    const element = h('li', { class: product.stock > 0 ? null : 'out', 'data-product': product.id },
      productImage(product, item.thumbnail, this.mode === 'grid' ? 'large' : 'small'),
      h('div', { class: 'what' },
        h('a', { class: 'title', href: `shop/${product.id}`, lang: langOf(product.name) }, product.name), cost(product)),
      stock(product));
    known?.element.replaceWith(element);
    this.#items.set(product.id, { text, element });
    return element;
  }
}
