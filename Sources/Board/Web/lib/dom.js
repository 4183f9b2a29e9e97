/** Makes an element: `h('a', { href, class: 'x', onclick }, 'text', child)`; children that are null are left out. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Makes an element of a drawing. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name.startsWith('--')) element.style.setProperty(name, value);
    else if (name === 'value' || name === 'checked' || name === 'selected') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...present(children));
  return element;
}

const present = (children) => children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);

const shown = new WeakMap();

/** Replaces the content of an element only if it differs, so that focus and selection in it stay. */
export function refill(place, value, draw) {
  const text = JSON.stringify(value);
  if (shown.get(place) === text) return;
  shown.set(place, text);
  place.replaceChildren(...present([draw(value)]));
}

/** Text for screen readers that is not shown. */
export const spoken = (text) => h('span', { class: 'spoken' }, text);

/** Lets screen readers announce a text. */
export function say(text) {
  const place = document.getElementById('said');
  if (place) place.textContent = text;
}

const paths = {
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  calendar: 'M4 7h16v13H4zM4 11h16M8 4v4M16 4v4',
  refresh: 'M20 5v5h-5M4 19v-5h5M19 10a7.500 7.500 0 0 0-13-2.500M5 14a7.500 7.500 0 0 0 13 2.500',
  list: 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  close: 'M6 6l12 12M18 6L6 18',
  chart: 'M4 19h16M7 15V9M12 15V5M17 15v-4',
  history: 'M4 17c4 0 4-9 8-9s4 5 8 5M4 8c4 0 4 9 8 9s4-11 8-11',
  shop: 'M5 8h14l-1 12H6zM9 10V7a3 3 0 0 1 6 0v3',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  alerts: 'M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500h4',
  operations: 'M3 12h4l2.500-6 5 12 2.500-6h4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1.100 1.100M17.300 17.300l1.100 1.100M5.600 18.400l1.100-1.100M17.300 6.700l1.100-1.100',
};

/** An icon beside a word, or in a button that has a label. */
export const icon = (name) =>
  s('svg', { class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' }, s('path', { d: paths[name] }));
