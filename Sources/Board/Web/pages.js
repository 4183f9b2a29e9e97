import { get } from './lib/api.js';
import * as chart from './pages/chart.js';

/**
 * The pages. `words` are the first parts of the addresses that a page shows. `load` imports its module, whose
 * `show(main, place)` draws it; all but the first page are loaded when they are opened. A page with a `name` has a link in
 * the navigation, with the text `nav.NAME` and the icon NAME; if it has `isThere`, only while that is true. `style` is a
 * style sheet that only this page needs.
 */
export const pages = [
  { words: ['', 'day', 'weekend', 'week', 'weekdays'], name: 'chart', load: async () => chart },
  { words: ['movie'], load: () => import('./pages/movie.js') },
  { words: ['history'], name: 'history', load: () => import('./pages/history.js') },
  { words: ['alerts'], name: 'alerts', load: () => import('./pages/alerts.js') },
  {
    words: ['shop'], name: 'shop', style: 'shop.css', load: () => import('./pages/shop.js'),
    isThere: () => get('shop').then(({ isOpen }) => isOpen, () => false),
  },
  { words: ['operations'], name: 'operations', load: () => import('./pages/operations.js') },
];
