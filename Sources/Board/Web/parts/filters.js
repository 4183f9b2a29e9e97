import { h } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { language, t } from '../lib/words.js';

const choices = { nation: ['K', 'F'], films: ['diverse', 'commercial'] };
/** The areas of Korea, requested once. */
let areas = null;

/** The filters that an address names. */
export const filtersIn = (query) =>
  Object.fromEntries(['nation', 'films', 'area'].map((name) => [name, query.get(name)]));

/** The controls of a chart's filters; calls `change` with the filters that have another value, null for none. */
export function filterControls(filters, change) {
  return [
    ...Object.entries(choices).map(([name, values]) => control(name, filters, change,
      values.map((value) => option(value, t(`chart.${name}.${value}`), filters[name])))),
    areaControl(filters, change),
  ];
}

function control(name, filters, change, options) {
  const select = h('select', { name, onchange: () => change({ [name]: select.value || null }) },
    option('', t(`chart.${name}.all`), filters[name] ?? ''), options);
  return h('label', { class: 'choice' }, h('span', { class: 'spoken' }, t(`chart.${name}`)), select);
}

const option = (value, text, chosen) => h('option', { value, selected: value === chosen }, text);

/** The areas are loaded after the page; until then the list has only the chosen one, by its code. */
function areaControl(filters, change) {
  const label = control('area', filters, change, filters.area ? [option(filters.area, filters.area, filters.area)] : []);
  areas ??= get('areas');
  areas.then(({ areas }) => {
    const select = label.querySelector('select');
    select.replaceChildren(select.firstChild, ...areas.map(({ code, name, nameEnglish }) =>
      option(code, language() === 'ko' ? name : nameEnglish ?? name, filters.area)));
    if (filters.area && select.value !== filters.area) select.append(option(filters.area, filters.area, filters.area));
  }, () => { areas = null; });
  return label;
}
