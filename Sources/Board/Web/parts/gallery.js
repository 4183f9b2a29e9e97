import { h, icon, say } from '../lib/dom.js';
import { imageAddress } from '../lib/shop.js';
import { t } from '../lib/words.js';
import { productImage } from './product.js';

const behavior = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth');

/** A product's images in a row, paged by swiping, arrow keys or buttons; a click opens the zoom. */
export function gallery(product, versions) {
  if (!versions.length) return h('div', { class: 'gallery' }, productImage(product, null, 'full'));
  let current = 0;
  const label = (index) => t('gallery.of', index + 1, versions.length);
  const strip = h('ul', { class: 'strip' }, versions.map((version, index) => h('li', {},
    h('button', { type: 'button', 'aria-label': `${label(index)}. ${t('gallery.zoom')}`, tabindex: index ? '-1' : null, onclick: () => zoom(product, versions, index, move) },
      productImage(product, version, 'full', { isLazy: index > 0 })))));
  const count = h('span', { class: 'count', 'aria-hidden': 'true' });
  const back = step(-1, 'back', 'gallery.previous');
  const forward = step(1, 'forward', 'gallery.next');
  const dots = versions.length > 1 && h('ul', { class: 'thumbs' }, versions.map((version, index) => h('li', {},
    h('button', { type: 'button', 'aria-label': label(index), onclick: () => move(index) }, productImage(product, version, 'small')))));

  function step(direction, glyph, name) {
    return h('button', { type: 'button', class: `button ${glyph}`, 'aria-label': t(name), onclick: () => move(current + direction) }, icon(glyph));
  }

  function move(index, how = behavior()) {
    if (index < 0 || index >= versions.length) return;
    strip.scrollTo({ left: index * strip.clientWidth, behavior: how });
    mark(index);
  }

  function mark(index) {
    if (index !== current) say(label(index));
    current = index;
    count.textContent = `${index + 1} / ${versions.length}`;
    back.disabled = index === 0;
    forward.disabled = index === versions.length - 1;
    [...strip.children].forEach((item, place) => { item.firstChild.tabIndex = place === index ? 0 : -1; });
    for (const [place, item] of [...(dots ? dots.children : [])].entries()) {
      item.firstChild.setAttribute('aria-current', String(place === index));
    }
  }

  strip.addEventListener('scrollend', () => mark(Math.round(strip.scrollLeft / (strip.clientWidth || 1))));
  const place = h('div', { class: 'gallery', role: 'group', 'aria-label': t('gallery.label'), onkeydown(event) {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!direction) return;
    event.preventDefault();
    const next = current + direction;
    move(next);
    if (strip.contains(document.activeElement)) strip.children[current].firstChild.focus({ preventScroll: true });
  } }, h('div', { class: 'window' }, strip, versions.length > 1 && [back, forward, count]), dots);
  mark(0);
  return place;
}

const scales = [1, 1.5, 2, 3, 4];

/** An image in the whole window: the keys + - 0, buttons and two fingers zoom; an image larger than the window scrolls. */
function zoom(product, versions, first, moved) {
  let index = first;
  let scale = 1;
  const image = h('img', { alt: '', draggable: 'false' });
  const stage = h('div', { class: 'stage', tabindex: '0', role: 'img', 'aria-label': product.name }, image);
  const button = (glyph, name, press) => h('button', { type: 'button', class: 'button', 'aria-label': t(name), onclick: press }, icon(glyph));
  const tools = {
    out: button('minus', 'gallery.out', () => set(scales.findLast((one) => one < scale) ?? 1)),
    in: button('plus', 'gallery.in', () => set(scales.find((one) => one > scale) ?? 4)),
    back: button('back', 'gallery.previous', () => show(index - 1)),
    forward: button('forward', 'gallery.next', () => show(index + 1)),
    close: button('close', 'close', () => dialog.close()),
  };
  const count = h('p', { class: 'count' });

  /** Zooms around a point of the window, by default its middle. */
  function set(next, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const factor = Math.min(4, Math.max(1, next)) / scale;
    const [left, top] = [(stage.scrollLeft + x) * factor - x, (stage.scrollTop + y) * factor - y];
    scale *= factor;
    image.style.setProperty('--scale', scale);
    stage.classList.toggle('larger', scale > 1);
    stage.scrollTo({ left, top, behavior: 'instant' });
    tools.out.disabled = scale <= 1;
    tools.in.disabled = scale >= 4;
  }

  function show(next) {
    if (next < 0 || next >= versions.length) return;
    index = next;
    set(1);
    image.src = imageAddress(product.id, versions[index], 'full');
    count.textContent = t('gallery.of', index + 1, versions.length);
    stage.setAttribute('aria-label', `${product.name}. ${count.textContent}`);
    tools.back.disabled = index === 0;
    tools.forward.disabled = index === versions.length - 1;
    moved(index, 'instant');
  }

  // Two fingers: the zoom follows the distance between them.
  const fingers = new Map();
  let pinch = null;
  const distance = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY); };
  stage.addEventListener('pointerdown', (event) => {
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) pinch = { distance: distance(), scale };
  });
  stage.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 2 && pinch) {
      const [a, b] = [...fingers.values()];
      const box = stage.getBoundingClientRect();
      set((pinch.scale * distance()) / pinch.distance, (a.clientX + b.clientX) / 2 - box.left, (a.clientY + b.clientY) / 2 - box.top);
    }
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
    stage.addEventListener(end, (event) => { fingers.delete(event.pointerId); pinch = null; });
  }
  stage.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    set(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1), event.offsetX, event.offsetY);
  }, { passive: false });
  stage.addEventListener('dblclick', (event) => set(scale > 1 ? 1 : 2, event.clientX, event.clientY));

  const dialog = h('dialog', { class: 'zoom', 'aria-label': product.name, onclose: () => dialog.remove(), onkeydown(event) {
    const keys = {
      '+': () => tools.in.click(), '=': () => tools.in.click(), '-': () => tools.out.click(), 0: () => set(1),
      ArrowLeft: () => scale === 1 && (show(index - 1), true), ArrowRight: () => scale === 1 && (show(index + 1), true),
    };
    const press = keys[event.key];
    if (press && press() !== false) event.preventDefault();
  } }, stage, h('div', { class: 'bar' }, count, tools.out, tools.in, versions.length > 1 && [tools.back, tools.forward], tools.close));
  document.body.append(dialog);
  dialog.showModal();
  show(first);
  stage.focus();
}
