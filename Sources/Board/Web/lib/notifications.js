import { live } from './live.js';
import { settings } from './settings.js';

/** Shows alerts as notifications while the page is hidden, if the visitor has agreed. */
export function notifyOfAlerts() {
  live.on('alert', async (item) => {
    if (!document.hidden || settings.get('notify') !== 'yes') return;
    if (!('Notification' in window) || Notification.permission !== 'granted') return;
    const { alertText } = await import('../parts/alert.js');
    // With one tag, several windows show the same alert once.
    new Notification('marquee', { body: alertText(item), tag: item.id, icon: new URL('icon.svg', document.baseURI).href });
  });
}
