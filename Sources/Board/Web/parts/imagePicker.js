import { h, icon } from '../lib/dom.js';
import { imageFault, limits } from '../lib/products.js';
import { t } from '../lib/words.js';

/** Lets the visitor choose a product's images, shows them, and reports what is wrong with each before it is sent. */
export function imagePicker() {
  /** `file`, its `address` in this page, and the name or text of its error. */
  let chosen = [];
  const list = h('ol', { class: 'previews' });
  const fault = h('p', { class: 'fault', id: 'fault-images', role: 'alert' });
  const input = h('input', {
    type: 'file', id: 'form-images', name: 'images', accept: 'image/jpeg,image/png', multiple: true,
    'aria-describedby': 'hint-images fault-images', onchange: () => add([...input.files]),
  });
  const zone = h('div', { class: 'drop' },
    h('label', { class: 'plain', for: 'form-images' }, t('form.choose')), input, h('p', { class: 'hint', id: 'hint-images' }, t('form.imagesHint')));
  const element = h('div', { class: 'field' }, h('span', { class: 'label' }, t('form.images')), list, zone, fault);

  for (const kind of ['dragenter', 'dragover']) {
    zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add('over'); });
  }
  for (const kind of ['dragleave', 'drop']) zone.addEventListener(kind, () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => { event.preventDefault(); add([...event.dataTransfer.files]); });

  async function add(files) {
    const faults = await Promise.all(files.map(imageFault));
    chosen = [...chosen, ...files.map((file, index) => ({ file, address: URL.createObjectURL(file), fault: faults[index] }))];
    input.value = '';
    draw();
  }

  function drop(item) {
    URL.revokeObjectURL(item.address);
    chosen = chosen.filter((one) => one !== item);
    draw();
    input.focus();
  }

  function draw() {
    list.replaceChildren(...chosen.map((item, index) => h('li', { class: item.fault ? 'wrong' : null },
      h('img', { src: item.address, alt: item.file.name, onerror() {
        if (item.fault) return;
        item.fault = 'broken';
        draw();
      } }),
      index === 0 ? h('span', { class: 'chip' }, t('form.first')) : null,
      h('button', { type: 'button', class: 'button', 'aria-label': t('form.drop', item.file.name), onclick: () => drop(item) }, icon('close')),
      item.fault ? h('p', { class: 'fault' }, item.text ?? t(`fault.images.${item.fault}`)) : null)));
    const word = chosen.length > limits.images ? 'many' : null;
    fault.textContent = word ? t(`fault.images.${word}`) : '';
    if (word || chosen.some((item) => item.fault)) input.setAttribute('aria-invalid', 'true');
    else input.removeAttribute('aria-invalid');
  }

  return {
    element,
    files: () => chosen.map((item) => item.file),
    /** Shows and returns what is wrong; null if nothing is. */
    check() {
      draw();
      if (!chosen.length) fault.textContent = t('fault.images.none');
      return fault.textContent || chosen.some((item) => item.fault) ? input : null;
    },
    /** Shows an error from elsewhere, about one image or about all. */
    tell(index, failure) {
      const item = chosen[Number(index)];
      if (item) Object.assign(item, { fault: 'told', text: failure.message });
      draw();
      if (!item) fault.textContent = failure.message;
      return input;
    },
  };
}
