import { h, spoken } from '../lib/dom.js';
import { count } from '../lib/format.js';
import { imageAddress, price } from '../lib/shop.js';
import { langOf, t } from '../lib/words.js';

/** The frame of an image; without an image it shows the first letter of the name. */
export function productImage(product, version, size, { isLazy = true, alt = '' } = {}) {
  const place = h('span', { class: `image ${size} loading` });
  const initial = () => {
    place.classList.remove('loading');
    place.replaceChildren(h('span', { class: 'initial', 'aria-hidden': 'true', lang: langOf(product.name) }, [...product.name.trim()][0] ?? ''));
  };
  if (!version) initial();
  else {
    place.append(h('img', {
      src: imageAddress(product.id, version, size), alt, decoding: 'async', loading: isLazy ? 'lazy' : null,
      draggable: 'false', onload: () => place.classList.remove('loading'), onerror: initial,
    }));
  }
  return place;
}

/** The price, and the price before the discount. */
export function cost(product) {
  const { currency, discountedPrice } = product;
  if (!(discountedPrice > 0)) return h('p', { class: 'cost' }, h('strong', {}, price(product.price, currency)));
  const part = Math.round((100 * discountedPrice) / product.price);
  return h('p', { class: 'cost' },
    spoken(t('shop.was')), h('del', {}, price(product.price, currency)), ' ',
    spoken(t('shop.now')), h('strong', {}, price(product.bargainPrice, currency)), ' ',
    part > 0 ? h('span', { class: 'off' }, t('shop.off', part)) : null);
}

/** The stock. */
export const stock = (product) => (product.stock > 0
  ? h('span', { class: 'stock' }, t('shop.stock', count(product.stock)))
  : h('span', { class: 'stock out' }, t('shop.soldOut')));
