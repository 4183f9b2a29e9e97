import { live } from './live.js';
import { settings } from './settings.js';
import { language } from './words.js';

/** Shows alerts as notifications while the page is hidden, if the visitor has agreed. */
export function notifyOfAlerts() {
  live.on('alert', ({ id, alert }) => {
    if (!document.hidden || settings.get('notify') !== 'yes') return;
    if (!('Notification' in window) || Notification.permission !== 'granted') return;
    // With one tag, several windows show the same alert once.
    new Notification('marquee', { body: alert.text?.[language()] ?? alert.title, tag: id, icon: new URL('icon.svg', document.baseURI).href });
  });
}
