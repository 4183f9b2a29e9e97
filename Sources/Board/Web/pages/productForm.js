import { h } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { characters, number, rules } from '../lib/products.js';
import { order, price, question } from '../lib/shop.js';
import { inShop, sentence } from '../lib/shopWords.js';
import { t } from '../lib/words.js';
import { productImage } from '../parts/product.js';
import { imagePicker } from '../parts/imagePicker.js';
import { failed, toast } from '../parts/notices.js';
import { askForPassword, rights } from '../parts/writer.js';

const plain = (amount) => (amount === null || amount === undefined ? '' : String(amount));
const numbers = (values) => ({
  price: number(values.price), discountedPrice: number(values.discountedPrice) || 0, stock: number(values.stock) || 0,
});

/** The form that registers or changes a product, for visitors who are signed in. */
export async function show(main, { words, go, signal }) {
  const id = words[1] === 'new' ? null : Number(words[1]);
  document.title = `${t(id ? 'form.edit' : 'form.new')} · marquee`;
  main.replaceChildren(h('p', { class: 'state' }, t('chart.loading')));
  try {
    const { canBeWritten, isSignedIn } = await rights(signal);
    if (!canBeWritten) return main.replaceChildren(failed({ code: 'notFound' }, null, inShop()));
    if (!isSignedIn) return locked();
    const answer = id && await known();
    main.replaceChildren(form(answer));
    main.querySelector('input').focus();
  } catch (failure) {
    if (failure.name !== 'AbortError') main.replaceChildren(failed(failure, () => show(main, { words, go, signal }), inShop()));
  }

  function locked() {
    main.replaceChildren(h('section', { class: 'notice' }, h('h1', {}, t(id ? 'form.edit' : 'form.new')), h('p', {}, t('form.locked')),
      h('button', { type: 'button', class: 'primary', async onclick() {
        if (await askForPassword()) show(main, { words, go, signal });
      } }, t('write.unlock'))));
  }

  /** The product with its description and images. */
  async function known() {
    const answer = await get(`products/${id}`, signal).catch((failure) => { if (failure.code !== 'unknown') throw failure; });
    if (answer?.isWhole) return answer;
    await question('fetch.product', { product: id }, signal);
    return get(`products/${id}`, signal);
  }

  function form(answer) {
    const product = answer?.product;
    const values = {
      name: product?.name ?? '', description: product?.description ?? '', price: plain(product?.price),
      discountedPrice: product?.discountedPrice ? plain(product.discountedPrice) : '', stock: plain(product?.stock), currency: product?.currency ?? 'KRW',
    };
    const before = { ...values };
    const fields = {};
    const touched = new Set();
    const note = h('p', { class: 'note', role: 'status' });
    const bar = h('progress', { max: '1', hidden: true, 'aria-label': t('form.images') });
    const fault = h('div', { class: 'problem', role: 'alert', tabindex: '-1', hidden: true });
    const send = h('button', { type: 'submit', class: 'primary' }, t(id ? 'form.save' : 'form.send'));
    const sells = h('span', { class: 'aside' });
    const counted = h('span', { class: 'aside' });
    const images = id ? null : imagePicker();
    const thumbnails = id ? thumbnailChoice(answer) : null;

    /** A field with its label and the element for its error. */
    function field(name, input, aside) {
      input.id = `form-${name}`;
      input.name = name;
      input.value = values[name];
      input.setAttribute('aria-describedby', `fault-${name}`);
      input.addEventListener('input', () => { values[name] = input.value; check(); });
      input.addEventListener('blur', () => { touched.add(name); check(); });
      const place = h('p', { class: 'fault', id: `fault-${name}` });
      fields[name] = { input, place };
      return h('div', { class: 'field' }, h('label', { for: input.id }, t(`form.${name}`)), input, aside ?? null, place);
    }

    function tell(name, text) {
      const { input, place } = fields[name];
      place.textContent = text ?? '';
      if (text) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    }

    /** Shows the errors of the fields that were left or are not empty; returns the first field with an error. */
    function check() {
      let first = null;
      for (const [name, rule] of Object.entries(rules)) {
        const word = rule(values);
        tell(name, word && touched.has(name) ? t(`fault.${name}.${word}`) : null);
        if (word) first ??= fields[name].input;
      }
      const [full, off] = [number(values.price), number(values.discountedPrice) || 0];
      sells.textContent = full > 0 && off <= full && off >= 0 ? t('form.sells', price(full - off, values.currency)) : '';
      counted.textContent = t('form.count', characters(values.description).toLocaleString());
      return first;
    }

    async function submit(event) {
      event.preventDefault();
      Object.keys(rules).forEach((name) => touched.add(name));
      const wrong = [images?.check(), check()].find(Boolean);
      if (wrong) return wrong.focus();
      fault.hidden = true;
      send.disabled = true;
      send.setAttribute('aria-busy', 'true');
      try {
        await run();
      } catch (failure) {
        if (failure.name === 'AbortError') return;
        tellFailure(failure);
      }
      send.disabled = false;
      send.removeAttribute('aria-busy');
      bar.hidden = true;
      note.textContent = '';
    }

    async function run() {
      const wish = id ? changes() : { ...numbers(values), name: values.name, description: values.description, currency: values.currency };
      if (id && Object.keys(wish).length === 0) {
        toast(t('form.unchanged'));
        return go(`shop/${id}`);
      }
      const outcome = await order(id ? 'product.modify' : 'product.register', id ? { product: id, ...wish } : wish, {
        images: images?.files() ?? [], signal,
        progress(part) {
          bar.hidden = false;
          if (part === null) bar.removeAttribute('value');
          else bar.value = part;
          note.textContent = part === null || id ? t('form.working') : t('form.uploading', Math.floor(part * 100));
        },
      });
      toast(t(id ? 'form.saved' : 'form.registered'));
      const topic = outcome.events.find((event) => event.topic.startsWith('product.'))?.topic ?? '';
      return go(`shop/${id ?? topic.slice('product.'.length)}`);
    }

    /** The fields that the visitor has changed. */
    function changes() {
      const wish = {};
      const [old, now] = [{ ...before, ...numbers(before) }, { ...values, ...numbers(values) }];
      for (const name of Object.keys(now)) if (now[name] !== old[name]) wish[name] = now[name];
      const chosen = thumbnails?.chosen();
      if (chosen) wish.thumbnailId = chosen;
      return wish;
    }

    async function tellFailure(failure) {
      if (failure.code === 'unauthorized' && failure.field === 'password') {
        if (await askForPassword()) send.form.requestSubmit();
        return;
      }
      const image = /^images(\[(\d)\])?$/.exec(failure.field ?? '');
      if (image && images) return images.tell(image[2], failure).focus();
      if (failure.code === 'badRequest' && fields[failure.field]) {
        const word = rules[failure.field]?.(values);
        tell(failure.field, word ? t(`fault.${failure.field}.${word}`) : failure.message);
        return fields[failure.field].input.focus();
      }
      fault.hidden = false;
      fault.textContent = sentence(failure);
      fault.focus();
    }

    const currency = h('select', {}, ['KRW', 'USD'].map((one) => h('option', { value: one, selected: one === values.currency }, one)));
    const amount = () => h('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', maxlength: 20 });
    const element = h('form', { class: 'productForm', novalidate: true, onsubmit: submit },
      h('h1', {}, t(id ? 'form.edit' : 'form.new')), fault,
      images?.element ?? thumbnails?.element,
      field('name', h('input', { type: 'text', autocomplete: 'off', maxlength: 200 })),
      h('div', { class: 'row' }, field('price', amount()), field('currency', currency), field('discountedPrice', amount(), sells), field('stock', h('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', maxlength: 12 }))),
      field('description', h('textarea', { rows: 6 }), counted),
      h('div', { class: 'send' }, send, h('a', { class: 'plain', href: id ? `shop/${id}` : 'shop' }, t('form.cancel')), bar, note));
    check();
    return element;
  }

  /** Lets the visitor choose the image that represents the product. */
  function thumbnailChoice({ product, imageVersions }) {
    if (imageVersions.length < 2) return null;
    const now = product.images.findIndex((image) => image.thumbnailUrl === product.thumbnail);
    const element = h('fieldset', { class: 'thumbnails' }, h('legend', {}, t('form.thumbnail')), imageVersions.map((version, index) =>
      h('label', {}, h('input', { type: 'radio', name: 'thumbnail', value: String(product.images[index].id), checked: index === now }),
        productImage(product, version, 'small', { alt: t('gallery.of', index + 1, imageVersions.length) }))));
    return {
      element,
      chosen() {
        const value = Number(element.querySelector(':checked')?.value);
        return value && value !== product.images[now]?.id ? value : null;
      },
    };
  }
}
