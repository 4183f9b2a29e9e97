import { live } from './live.js';
import { settings } from './settings.js';
import { language } from './words.js';

/** Shows alerts outside the page, to whoever has agreed to that, while nobody looks at it. */
export function notifyOfAlerts() {
  live.on('alert', ({ id, alert }) => {
    if (!document.hidden || settings.get('notify') !== 'yes') return;
    if (!('Notification' in window) || Notification.permission !== 'granted') return;
    // The same alert in several windows is shown once.
    new Notification('marquee', { body: alert.text?.[language()] ?? alert.title, tag: id, icon: new URL('icon.svg', document.baseURI).href });
  });
}
